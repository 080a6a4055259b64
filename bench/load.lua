-- One request of a job, for wrk: wrk -s load.lua URL -- TARGET JOB RUN
-- TARGET is a folder: `target.lua` (key, list, create, update, batch), `ids.txt` (one id per line), `tags.txt` (id and ETag per line).
-- A `target.lua` that returns `folders` instead spreads the requests evenly over the targets in these folders.
-- RUN is new for every run, so that Idempotency-Keys are unique.
local target, job, run, ids, tags, n = nil, nil, nil, {}, {}, 0
local loaded, sent = {}, 0

local function load(folder)
  local found = dofile(folder .. "/target.lua")
  if found.folders then
    for _, each in ipairs(found.folders) do load(each) end
    return
  end
  local one = { target = found, ids = {}, tags = {}, read = { ["Authorization"] = "Bearer " .. found.key } }
  for line in io.lines(folder .. "/ids.txt") do one.ids[#one.ids + 1] = line end
  for line in io.lines(folder .. "/tags.txt") do
    local id, tag = line:match("^(%S+) (%S+)$")
    one.tags[#one.tags + 1] = { id, tag }
  end
  loaded[#loaded + 1] = one
end

function init(args)
  job, run = args[2], args[3]
  load(args[1])
  math.randomseed(os.time())
end

local function write(method, path, body)
  n = n + 1
  return wrk.format(method, path, {
    ["Authorization"] = "Bearer " .. target.key,
    ["Content-Type"] = "application/json",
    ["Idempotency-Key"] = run .. "-" .. n,
  }, body)
end

local jobs = {}

function jobs.get()
  return wrk.format("GET", "/v1/tasks/" .. ids[math.random(#ids)], read)
end

jobs["304"] = function()
  local known = tags[math.random(#tags)]
  return wrk.format("GET", "/v1/tasks/" .. known[1], {
    ["Authorization"] = "Bearer " .. target.key,
    ["If-None-Match"] = known[2],
  })
end

function jobs.list()
  return wrk.format("GET", target.list .. ids[math.random(#ids)], read)
end

function jobs.create()
  return write("POST", "/v1/tasks", target.create)
end

function jobs.update()
  return write("PATCH", "/v1/tasks/" .. ids[math.random(#ids)], target.update:gsub("NUMBER", n + 1))
end

function jobs.batch()
  return write("POST", "/v1/tasks/batch", target.batch)
end

-- Nine reads by id to one create.
local turn = 0
function jobs.mix()
  turn = turn + 1
  if turn % 10 == 0 then return jobs.create() end
  return jobs.get()
end

function request()
  local one = loaded[sent % #loaded + 1]
  sent = sent + 1
  target, ids, tags, read = one.target, one.ids, one.tags, one.read
  return jobs[job]()
end
