require 'json'
require_relative 'webhooks'

judged = JSON.parse($stdin.read).map do |each|
  body = each['body_base64'].unpack1('m')
  headers = each['headers']
  if each['scheme'] == 'service'
    verify_service_signature(body, headers['service-signature'], each['secret'], each['now'])
  else
    verify_standard_webhook(body, headers, each['secret'], each['now'])
  end
end
puts JSON.generate(judged)
