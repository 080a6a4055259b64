/** Common passwords of at least the minimum length, in lower case. */
const words = `
1234567890 0123456789 9876543210 1234512345 1122334455 1111111111 0000000000 123456789a 12345678910 123123123123
123456123456 987654321a 147258369a 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc qwertyuiop qwertyuiop123 qwerty1234 qwerty12345
qwerty123456 qwertz1234 qwertzuiop asdfghjkl1 asdfghjkl123 zxcvbnm123 q1w2e3r4t5 q1w2e3r4t5y6 azertyuiop password12
password123 password1234 password12345 password123456 passwordpassword passw0rd123 p@ssw0rd123 p@ssword123 mypassword
mypassword1 newpassword newpassword1 changeme123 changemenow letmein123 letmeinnow welcome123 welcome1234 welcome2024
welcome2025 welcome2026 iloveyou12 iloveyou123 iloveyou1234 sunshine123 princess123 football123 baseball123 basketball
superman123 batman1234 dragon1234 monkey1234 starwars123 trustno1trustno1 abcdefghij abcdefghijk abcd123456 abcde12345
abc1234567 a123456789 a1b2c3d4e5 aa12345678 aaaaaaaaaa administrator admin12345 admin123456 adminadmin root123456
rootroot12 testtest12 test123456 test1234567 temppassword secret1234 secretsecret computer123 internet123 michael123
charlie123 jennifer12 liverpool1 liverpool123 manchester chelsea123 arsenal123 barcelona1 summer2024 summer2025
summer2026 winter2024 winter2025 winter2026 spring2026 autumn2026 correcthorse correcthorsebatterystaple
passwort123 passwort1234 hallo12345 hallohallo schatz1234 motdepasse motdepasse1 bonjour123 azerty1234 contrasena
contrasena1 teamo12345 atriumatrium atrium1234 atrium12345
`

export const common_passwords: ReadonlySet<string> = new Set(words.split(/\s+/).filter((word) => word !== ''))
