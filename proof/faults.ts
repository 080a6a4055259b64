/** The planted faults of every row: which text of the product is replaced. A row must notice each of its faults. */
import { migrations } from '../server/src/db/migrate.ts'
import { fault, on, type PlantedFault, replace } from './planted-fault.ts'

const pipeline = 'server/src/api/pipeline.ts'
const open_link = 'server/src/resources/board_links/shared/open-link.ts'
const outbox = 'server/src/api/write/outbox.ts'
const courier = 'server/src/workers/deliveries/courier.ts'
const fanOut = 'server/src/workers/deliveries/fan-out.ts'

/** On PostgreSQL row-level security hides this fault, unless a second one breaks that barrier too. */
const realm_forgotten = replace(
  'server/src/api/declare/noun.ts',
  ".where('realm', '=', p('realm')).where('id', '=', p('id'))",
  ".where('id', '=', p('id'))",
)

/** Shared by the row that kills processes and the row that simulates them. */
const commit_faults = [
  fault('answer_before_commit', 'a write is answered before its commit is on disk', 12, [
    replace(
      'server/src/db/sqlite/store.ts',
      "this.writing.exec(written > 0 ? 'commit' : 'rollback')",
      `batch.forEach((waiting, i) => waiting.settle(settled[i]))
          await new Promise((resolve) => setTimeout(resolve, 3))
          // After a wait for the CPU the timer can fire before the turn that sends the answers.
          for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
          this.writing.exec(written > 0 ? 'commit' : 'rollback')`,
    ),
  ]),
  fault('separate_record_commit', 'the idempotency record is written after the write, in a separate transaction', 12, [
    replace(
      'server/src/api/write/commit.ts',
      'else if (main?.text === text) storeEventReference(tx, claim, outcome, main, now)',
      `else if (main?.text === text) {
          const later = async (other) => storeEventReference(other, claim, outcome, main, now)
          void services.store.write(claim.caller.storeScope, later).catch(() => {})
        }`,
    ),
  ]),
]

/** Both engines keep their log in the same chains. */
const links_unchecked = replace(
  'server/src/db/backup/follow/state.ts',
  'if (head.previous !== previous)',
  'if (head.previous === undefined)',
)

export const faults = {
  kill: commit_faults,
  power: [
    ...on('sqlite', [
      fault('not_synced', 'SQLite does not wait for the disk on commit (`synchronous=NORMAL`)', 5, [
        replace('server/src/db/sqlite/connection.ts', 'pragma main.synchronous=full', 'pragma main.synchronous=normal'),
      ]),
    ]),
    ...on('postgres', [
      fault('not_awaited', 'PostgreSQL acknowledges a commit before it is on disk (`synchronous_commit=off`)', 12, [
        replace(
          'server/src/db/postgres/client.ts',
          "set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'",
          "set_config('synchronous_commit', 'off', false)",
        ),
      ]),
    ]),
    fault('stroke_answered_early', 'a stroke on a board is acknowledged before its commit', 4, [
      replace(
        'server/src/rooms/room.ts',
        'this.#waiting.push({ member, id, elements })',
        "this.#waiting.push({ member, id, elements })\n    send(member, { type: 'ack', id, sequence: null })",
      ),
    ]),
    fault('unsynced_key', 'the secret key of an installation is written without a sync', 1, [
      replace('server/src/lib/secret-key.ts', "mode: 0o600, flag: 'wx', flush: true", "mode: 0o600, flag: 'wx'"),
      replace('server/src/lib/secret-key.ts', 'fsyncSync(folder)', 'void folder'),
    ]),
    fault('unsynced_backup', 'a backup is reported as complete before its content is synced', 1, [
      replace('server/src/db/backup/backup.ts', 'await makeDurable(unfinished)', 'void makeDurable'),
    ]),
    fault('unsynced_directory', 'a backup is reported as complete before its directory entry is synced', 1, [
      replace('server/src/db/backup/backup.ts', 'await makeDurable(dirname(path))', 'void dirname'),
    ]),
  ],
  io: [
    ...on('sqlite', [
      fault('failed_commit_accepted', 'a commit that SQLite failed to write counts as done', 18, [
        replace(
          'server/src/db/sqlite/store.ts',
          "this.writing.exec(written > 0 ? 'commit' : 'rollback')",
          "try { this.writing.exec(written > 0 ? 'commit' : 'rollback') } catch { this.writing.rollBack() }",
        ),
      ]),
      fault(
        'lost_log_pages_trusted',
        'log pages that could not be synced count as durable because memory shows them',
        60,
        [replace('server/src/db/sqlite/store.ts', 'await syncLog(this.file)', 'void syncLog')],
      ),
      fault(
        'no_second_copy',
        'pages that a checkpoint failed to sync are not copied again, because SQLite counts them as copied',
        60,
        [
          replace('server/src/db/sqlite/copier.ts', 'if (!this.isSure) this.connection.recopy()', 'void this.recopied'),
          replace(
            'server/src/db/sqlite/copier.ts',
            'this.isSure = this.isSure && this.recopied()',
            'this.isSure = true',
          ),
        ],
      ),
      fault('never_reopened', 'a connection closed after a disk error is never reopened', 18, [
        replace(
          'server/src/db/sqlite/connection.ts',
          'this.opened ??= this.open()\n    return this.opened',
          "if (this.opened === null) throw new StoreUnavailable('closed')\n    return this.opened",
        ),
      ]),
      fault('disk_error_as_500', 'a disk error is answered as an internal error', 18, [
        replace(
          'server/src/db/sqlite/errors.ts',
          'if (code === null || !(broken.has(code) || passing.has(code))) return error',
          'return code === null ? error : new Error((error as Error).message)',
        ),
      ]),
    ]),
    ...on('postgres', [
      fault('lost_commit_accepted', 'a commit counts as done although its connection to PostgreSQL was lost', 12, [
        replace(
          'server/src/db/postgres/tx.ts',
          "done = await this.client.query('commit')",
          "done = await this.client.query('commit').catch(() => ({ command: 'COMMIT' }))",
        ),
      ]),
    ]),
  ],
  restore: [
    fault('no_common_snapshot', 'a backup reads each page separately, without a common snapshot', 12, [
      replace(
        'server/src/db/backup/backup.ts',
        'return await writeLines(moment, lines, head, contents)',
        `const { momentOf } = await import('./whole-tables.ts')
      return await writeLines(momentOf(store.reader('system')), lines, head, contents)`,
      ),
    ]),
    fault('unverified', 'a restore does not compare the hashes at the end of the backup', 40, [
      replace(
        'server/src/db/backup/backup.ts',
        "said.sha256 !== this.whole.digest('hex')",
        "this.whole.digest('hex') === ''",
      ),
      replace('server/src/db/backup/backup.ts', '(sum?.rows ?? 0) !== rows || found !== sha256', 'found === null'),
    ]),
    fault('only_first_pages', 'a backup holds only the first page of every table', 12, [
      replace(
        'server/src/db/backup/whole-tables.ts',
        'if (page.length < count) return',
        'if (page.length <= count) return',
      ),
    ]),
  ],
  follow: [
    ...on('sqlite', [
      fault(
        'not_held',
        'the follower holds no read transaction, so the log starts over before its frames are copied',
        8,
        [
          replace(
            'server/src/db/sqlite/held-log.ts',
            "connection.prepare('select 1 from sqlite_schema limit 1').get()",
            'void 0',
          ),
        ],
      ),
      fault('interrupted_log_continued', 'a follower that was killed continues its chain in whatever log it finds', 8, [
        replace('server/src/db/sqlite/held-log.ts', 'if (place === null || this.continues(place)) return', 'return'),
        replace(
          'server/src/db/sqlite/held-log.ts',
          'if (!this.isComplete || !isNextLog(place.header, header))',
          'if (place.header.page_bytes !== header.page_bytes || isNextLog.length === 0)',
        ),
      ]),
      fault('early_moment', 'segments are named by a moment before their commits', 4, [
        replace(
          'server/src/db/backup/follow/chain.ts',
          'const until = Math.max(now, this.until)',
          'const until = Math.max(now - 3000, this.until - 3000)',
        ),
      ]),
      fault('links_unchecked', 'a restore does not compare the hashes by which segments follow each other', 4, [
        links_unchecked,
      ]),
    ]),
    ...on('postgres', [
      fault('segment_skipped', 'a part of the log is not stored, and the next one continues the chain', 4, [
        replace(
          'server/src/db/backup/follow/postgres-follower.ts',
          'await chain.append<ServerSegment>(',
          'if (chain.last % 9 !== 8 || from % 3 > 0) await chain.append<ServerSegment>(',
        ),
      ]),
      fault('covered_too_early', 'what lies in the last part of the log counts as stored before it is received', 4, [
        replace(
          'server/src/db/backup/follow/postgres-follower.ts',
          'while (connection.to < flushed)',
          'while (connection.to < flushed - 2 ** 20)',
        ),
      ]),
      fault(
        'links_unchecked_of_server',
        'a restore does not compare the hashes by which segments follow each other',
        4,
        [links_unchecked],
      ),
    ]),
  ],
  upgrade: [
    ...on('sqlite', [
      fault('row_skipped', 'the migration that moves the request log skips a row', migrations.length, [
        replace(
          'server/src/db/migrations/0007_request_log_file.ts',
          'select realm, id, created, entry from main.request_logs;',
          'select realm, id, created, entry from main.request_logs limit -1 offset 1;',
        ),
      ]),
    ]),
    fault('no_transaction', 'each statement of a migration commits separately', 6, [
      replace(
        'server/src/db/migrate.ts',
        '[...statements, ...rowSecurity(statements)] : statements',
        `[...statements, ...rowSecurity(statements)].flatMap((one) => [one, 'commit', 'begin'])
          : statements.flatMap((one) => [one, 'commit', 'begin immediate'])`,
      ),
    ]),
    ...on('sqlite', [
      fault(
        'single_transaction',
        'the request log is copied and dropped in one transaction, whose two files commit one after the other',
        64,
        [replace('server/src/db/migrate.ts', 'if (first !== undefined)', 'if (first === null)')],
      ),
      fault(
        'copy_not_synced',
        'the copy of the request log is not synced before the transaction that drops the original',
        32,
        [replace('server/src/db/sqlite/store.ts', 'await syncLogFile(this.file)', 'void syncLogFile')],
      ),
      fault(
        'terms_not_truncated',
        'the migration that indexes task terms stores long terms whole, while lookups use their first 100 characters',
        migrations.length,
        [
          replace(
            'server/src/db/migrations/0009_task_terms.ts',
            "':' || substr(label.value, 1, 100)",
            "':' || label.value",
          ),
        ],
      ),
    ]),
  ],
  approvals: [
    fault('decided_twice', 'an approval that is decided already can be decided again', 60, [
      replace(
        'server/src/resources/automation_approvals/decide.ts',
        "if (target.status !== 'pending')",
        "if (target.status === 'canceled')",
      ),
    ]),
    fault('anyone_decides', 'a person who was not asked can decide', 60, [
      replace(
        'server/src/resources/automation_approvals/decide.ts',
        'if (!isAsked(target, user))',
        "if (!isAsked(target, user) && user === '')",
      ),
    ]),
    fault('run_not_woken', 'a decision does not make the run due', 60, [
      replace('server/src/resources/automation_approvals/decide.ts', 'wakeRunOf(tx, decided, now)', 'void wakeRunOf'),
    ]),
    fault('always_approved', 'a run goes on by the port approved, whatever was decided', 60, [
      replace(
        'server/src/resources/automation_runs/steps/approval.ts',
        'const port = decided.status as ApprovalPort',
        "const port = 'approved' as ApprovalPort",
      ),
    ]),
  ],
  calls: [
    fault('caller_not_woken', 'a called run that ends does not make its caller due', 6, [
      replace('server/src/resources/automation_runs/end-run.ts', '  wakeCaller(tx, run, now)\n', '  void wakeCaller\n'),
    ]),
    fault('called_twice', 'a step starts a second run besides the called one', 6, [
      replace(
        'server/src/resources/automation_runs/steps/call-flow.ts',
        'const run = await startRun(context, called.start)',
        `await startRun(context, { ...called.start, key: \`\${called.start.key}:again\`, call: undefined } as never)
  const run = await startRun(context, called.start)`,
      ),
    ]),
    fault('always_out', 'a run goes on by the port out, however the called run ended', 24, [
      replace(
        'server/src/resources/automation_runs/steps/call-flow.ts',
        "if (called.status === 'succeeded') return { status: 'succeeded', port: 'out', output }",
        "if (called.status !== 'skipped') return { status: 'succeeded', port: 'out', output }",
      ),
    ]),
    fault('dead_lease_kept', 'no process continues the run of a dead one', 24, [
      replace(
        'server/src/resources/automation_runs/steps/claim.ts',
        ".where((or) => or.or([or('lease_until', 'is', null), or('lease_until', '<=', p('now'))]))",
        ".where('lease_until', 'is', null)",
      ),
    ]),
  ],
  many: [
    fault('one_left_out', 'a step for many tasks leaves the last of them out', 6, [
      replace(
        'server/src/resources/automation_runs/steps/many-tasks.ts',
        'const made = await createTasks(context, workspace, drafts,',
        'const made = await createTasks(context, workspace, drafts.slice(0, -1),',
      ),
    ]),
    fault('made_twice', 'a step that creates many tasks creates them twice', 6, [
      replace(
        'server/src/resources/automation_runs/steps/many-tasks.ts',
        'const made = await createTasks(context, workspace, drafts,',
        'const made = await createTasks(context, workspace, [...drafts, ...drafts],',
      ),
    ]),
    fault('one_unchanged', 'a step that changes many tasks leaves the oldest of them out', 6, [
      replace(
        'server/src/resources/automation_runs/steps/many-tasks.ts',
        'found.slice(0, max_tasks).map(',
        'found.slice(1, max_tasks).map(',
      ),
    ]),
    fault('correction_lost', 'a repeated step forgets its corrected settings', 12, [
      replace(
        'server/src/resources/automation_runs/steps/step.ts',
        'correctedInput(state.run, { node: node.id, path })',
        'void correctedInput as undefined',
      ),
    ]),
    fault('dead_lease_kept', 'no process continues the run of a dead one', 24, [
      replace(
        'server/src/resources/automation_runs/steps/claim.ts',
        ".where((or) => or.or([or('lease_until', 'is', null), or('lease_until', '<=', p('now'))]))",
        ".where('lease_until', 'is', null)",
      ),
    ]),
  ],
  hooks: [
    fault('replays_start_runs', 'a repeated key of an incoming webhook is not looked up', 120, [
      replace(
        'server/src/resources/automation_runs/hooks/receive.ts',
        'request.id === null ? undefined : await hookRequests.findRun(tx, seen, request.id)',
        'undefined as { run: string; status: string } | undefined',
      ),
      replace(
        'server/src/resources/automation_runs/hooks/receive.ts',
        'request_key: request.id,',
        'request_key: null,',
      ),
    ]),
    fault('signature_ignored', 'an incoming webhook is taken if it has any signature of the right form', 120, [
      replace(
        'server/src/resources/automation_runs/hooks/signature.ts',
        'isMatching.includes(true)',
        'sent.length === isMatching.length',
      ),
    ]),
    fault('late_accepted', 'an old signature of an incoming webhook is accepted', 120, [
      replace('server/src/resources/automation_runs/hooks/signature.ts', ' && isTimely', ' && (isTimely || true)'),
    ]),
    fault('id_unsigned', 'the id of an incoming webhook is not part of what is signed', 120, [
      replace(
        'server/src/resources/automation_runs/hooks/signature.ts',
        "const id = header('webhook-id') ?? ''",
        "const id = (header('webhook-id') ?? '').replace(/x$/, '')",
      ),
    ]),
  ],
  forms: [
    fault('reload_starts_run', 'a page of a form that was sent already starts another run', 60, [
      replace(
        'server/src/resources/automation_runs/forms/submit.ts',
        'await submissions.findRun(tx, seen, key)',
        'undefined as { run: string; status: string } | undefined',
      ),
      replace(
        'server/src/resources/automation_runs/forms/submit.ts',
        'submission_key: key,',
        "submission_key: newId('req', now),",
      ),
      replace(
        'server/src/resources/automation_runs/forms/submit.ts',
        'const { tx, now } = transaction',
        'const { tx, now } = transaction\n  void [submissions, key]',
      ),
    ]),
    fault('page_unsigned', 'the key of a page of a form is taken without its signature', 60, [
      replace(
        'server/src/resources/automation_runs/forms/page-key.ts',
        '|| !isSigned)',
        "|| (!isSigned && signature === ''))",
      ),
    ]),
    fault('time_unsigned', 'the time at which a page of a form was loaded is not part of what is signed', 60, [
      replace(
        'server/src/resources/automation_runs/forms/page-key.ts',
        "[form, head].join(' ')",
        "[form, head.slice(0, 23)].join(' ')",
      ),
    ]),
    fault('late_pages', 'a page of a form can be sent however long ago it was loaded', 60, [
      replace(
        'server/src/resources/automation_runs/forms/page-key.ts',
        'isLate: now - loadedAt > automation_limits.automation_form_page_ms',
        'isLate: now < loadedAt - automation_limits.automation_form_page_ms',
      ),
    ]),
    fault('trap_ignored', 'what fills in the hidden field of a form starts a run', 60, [
      replace('server/src/http/forms/routes.ts', "?? '') !== '') return thanks()", "?? '') === '\0') return thanks()"),
    ]),
  ],
  chats: [
    fault('literals_taken', 'an address in place of a name is taken as the host of a chat', 20, [
      replace(
        'server/src/egress/egress.ts',
        'return isPublicName(host) ? null',
        'return isPublicName(host) || isIP(host) ? null',
      ),
    ]),
    fault('url_shown', 'the failure of a post shows the URL of the chat', 20, [
      replace(
        'server/src/resources/automation_runs/steps/http.ts',
        "return unsent('url_refused', checked.message)",
        "return unsent('url_refused', checked.message + config.url)",
      ),
    ]),
    fault('markup_kept', 'a post keeps the markup in its text', 20, [
      replace(
        'server/src/resources/automation_runs/steps/chat.ts',
        ".replaceAll('<', '&lt;').replaceAll('>', '&gt;')",
        ".replaceAll('>', '&gt;')",
      ),
    ]),
    fault('key_per_attempt', 'each attempt of a post has a key of its own', 20, [
      replace(
        'server/src/resources/automation_runs/steps/outside.ts',
        'const idempotencyKey = `',
        "const idempotencyKey = (attempt === 1 ? '' : `again `) + `",
      ),
    ]),
  ],
  flow_mail: [
    fault('arrives_twice', 'a mail that arrives again starts another run', 60, [
      replace(
        'server/src/resources/automation_runs/mails/receive.ts',
        '(await findRunOfMail(tx, seen, key)) !== undefined',
        "(await findRunOfMail(tx, seen, key)) === ''",
      ),
      replace(
        'server/src/resources/automation_runs/mails/receive.ts',
        'const mail_key = isSkipped',
        'const mail_key = isSkipped || run.id !== key',
      ),
    ]),
    fault('lists_taken', 'mail of lists starts runs', 60, [
      replace('server/src/mail/read-reply.ts', "['list-id', 'list-unsubscribe', ", '['),
    ]),
    fault('programs_taken', 'mail that programs sent starts runs', 60, [
      replace('server/src/mail/read-reply.ts', "valuesOf('auto-submitted')", "valuesOf('auto-submitted-by')"),
    ]),
    fault('flows_write_to_flows', 'mail from the address of a flow starts runs', 60, [
      replace(
        'server/src/workers/replies/flow-mail.ts',
        'domainOf(from) === settings.replyDomain?.toLowerCase()',
        'domainOf(from) === settings.replyDomain?.toUpperCase()',
      ),
    ]),
    fault('skipped_is_lost', 'a mail whose run was skipped by a limit is taken from its sender', 60, [
      replace(
        'server/src/resources/automation_runs/mails/receive.ts',
        "return isSkipped ? 'not_accepted' : 'accepted'",
        "return 'accepted'",
      ),
    ]),
    fault('any_secret', 'the last character of an address of a flow does not count', 60, [
      replace(
        'server/src/resources/automation_runs/shared/addresses.ts',
        'findByDigest, { digest: digestOf(secret) }',
        'findByDigest, { digest: digestOf(secret.slice(0, -1)) }',
      ),
      replace(
        'server/src/resources/automation_runs/shared/addresses.ts',
        'digest: digestOf(secret) }\n  }',
        'digest: digestOf(secret.slice(0, -1)) }\n  }',
      ),
    ]),
  ],
  races: [
    fault('fingerprint_ignored', 'an idempotency key replays its answer for any request body', 2, [
      replace(
        'server/src/api/write/idempotency.ts',
        'if (row.fingerprint !== claim.fingerprint) throw',
        'if (row.fingerprint === null) throw',
      ),
    ]),
    ...on('postgres', [
      fault('batch_kept', 'a batch whose job failed is committed before its jobs run again', 8, [
        replace('server/src/db/postgres/store.ts', 'await transaction.rollBack()\n', 'await transaction.commit()\n'),
        replace(
          'server/src/db/postgres/tx.ts',
          '    this.requireUnfailed()\n    let done: pg.QueryResult',
          '    let done: pg.QueryResult',
        ),
      ]),
      fault('batch_dropped', 'a batch whose job failed is rolled back, and its other jobs count as done', 8, [
        replace(
          'server/src/db/postgres/store.ts',
          'this.lanes.separate(scope.organization)\n      throw transaction.causeOf(error)\n',
          `this.lanes.separate(scope.organization)
      await transaction.rollBack()
      transaction.commit = async () => {}
      return { error }
`,
        ),
      ]),
      fault('failed_job_kept', 'what a failed job has written commits with the batch', 8, [
        replace(
          'server/src/db/postgres/store.ts',
          'if (!tx.dirty && !transaction.failed) return { error }',
          'if (!transaction.failed) return { error }',
        ),
      ]),
    ]),
  ],
  isolation: [
    ...on('sqlite', [
      fault('target_read_outside', 'the target of a write is read outside the transaction', 6000, [
        replace(
          'server/src/api/write/commit.ts',
          '    reader: tx,\n',
          '    reader: services.store.reader(caller.storeScope),\n',
        ),
      ]),
    ]),
    ...on('postgres', [
      fault('writes_not_locked', 'writes of one organization run concurrently on PostgreSQL', 6000, [
        replace('server/src/db/postgres/store.ts', '  else transaction.lock(first)\n', ''),
      ]),
    ]),
    ...on('sqlite', [
      fault('dirty_reads', 'reads see uncommitted rows of a transaction that rolls back', 6000, [
        replace(
          'server/src/db/sqlite/reader.ts',
          'return writing === null || writing.inTransaction ? this.reading : writing',
          'return writing ?? this.reading',
        ),
        replace(
          'server/src/db/sqlite/store.ts',
          'return await this.runJob(new SqliteTx(new SqliteTransaction(this.writing)), job)',
          `const outcome = await this.runJob(new SqliteTx(new SqliteTransaction(this.writing)), job)
      await new Promise((resolve) => setTimeout(resolve, 10))
      return outcome`,
        ),
      ]),
      fault('torn_list', 'half of a list is read 20 ms after the other half', 6000, [
        replace(
          'server/src/api/request/page.ts',
          'const rows = await reader.all(query, values)\n  return toPage(rows, page, options.show',
          `const early = await reader.all(query, values)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const late = await reader.all(query, values)
  const rows = late.map((row, i) => (i % 2 === 0 ? row : (early[i] ?? row)))
  return toPage(rows, page, options.show`,
        ),
      ]),
      fault('stale_cache', 'an object is answered from a cache for 300 ms', 6000, [
        replace(
          pipeline,
          '  const { target, parent } = await findTarget(operation, sought)\n',
          `  const known = cached.get(request.path)
  const isFresh = known !== undefined && performance.now() < known.until
  const { target, parent } = isFresh ? known.found : await findTarget(operation, sought)
  if (!isFresh) cached.set(request.path, { found: { target, parent }, until: performance.now() + 300 })
`,
        ),
        replace(pipeline, '/** Answers a request for an operation. Never rejects. */', 'const cached = new Map()\n'),
      ]),
    ]),
  ],
  log: [
    ...on('postgres', [
      fault('sequences_reserved', 'each process reserves event sequence numbers in blocks ahead of its commits', 200, [
        replace(outbox, 'let sequence = heads.events.get(realm) ?? 0', 'let sequence = blockOf(heads, realm, size)'),
        replace(
          outbox,
          'heads.events.set(realm, sequence)',
          'heads.events.set(realm, Math.max(sequence, heads.events.get(realm) ?? 0))',
        ),
        replace(
          outbox,
          'interface LogPosition {',
          `const blocks = new Map<number, { next: number; end: number }>()

function blockOf(heads: Heads, realm: number, size: number): number {
  const head = heads.events.get(realm) ?? 0
  let block = blocks.get(realm)
  if (block === undefined || block.next + size > block.end) {
    block = { next: head, end: head + 30 }
    blocks.set(realm, block)
    heads.events.set(realm, block.end)
  }
  block.next += size
  return block.next - size
}

interface LogPosition {`,
        ),
      ]),
    ]),
    ...on('sqlite', [
      fault(
        'stream_resumed_ahead',
        'a resumed stream continues from the position of the other streams of its process',
        200,
        [
          replace(
            'server/src/api/stream/feed.ts',
            'if (listener.position.sequence < joined.position.sequence) joined.position = listener.position',
            'if (listener.position.sequence < joined.position.sequence) listener.position = joined.position',
          ),
          replace(
            'server/src/api/stream/feed.ts',
            'if (rows.length < limits.event_batch_max) return',
            'if (rows.length >= 0) return',
          ),
          replace(
            'server/src/api/stream/feed.ts',
            '      deliverFresh(listener, rows)\n      if',
            '      deliverFresh(listener, rows.slice(0, 3))\n      if',
          ),
        ],
      ),
      fault('position_skips', 'the fan-out reads two events and moves its position to the end of the log', 200, [
        replace(fanOut, 'Math.min(limits.event_batch_max, ', 'Math.min(2, '),
        replace(fanOut, 'const last = events.at(-1) ?? {', 'const last = {'),
      ]),
      fault('lease_ignored', 'an endpoint is claimed although another process holds its lease', 200, [
        replace(
          courier,
          `      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now'))]))
      .where('consecutive_failures'`,
          "      .where('consecutive_failures'",
        ),
        replace(
          courier,
          ".where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now'))])),",
          ',',
        ),
      ]),
    ]),
  ],
  time: [
    ...on('sqlite', [
      fault('rounded_windows', 'a credit window begins at the nearest minute or day instead of the previous one', 200, [
        replace(
          'server/src/api/credits/credit-limits.ts',
          'const startsAt = now - (now % lengths[kind])',
          'const startsAt = Math.round(now / lengths[kind]) * lengths[kind]',
        ),
      ]),
      fault('early_takeover', 'an export is taken over before its lease expires', 1500, [
        replace(
          'server/src/workers/exports.ts',
          "eb('lease_until', '<=', p('now'))",
          "eb('lease_until', '>', p('now'))",
        ),
      ]),
      fault('ids_follow_clock', 'ids go backwards when the clock does', 1500, [
        replace(
          'server/src/lib/ids.ts',
          'if (now >= lastTime + 1) startMillisecond(now)',
          'if (now !== lastTime) startMillisecond(now)',
        ),
      ]),
      fault('retries_too_soon', 'a retry waits as long as the retry before it', 1500, [
        replace(
          'server/src/workers/deliveries/attempt.ts',
          'default_schedule)[made - 1]',
          'default_schedule)[Math.max(0, made - 2)]',
        ),
      ]),
      fault('signed_with_event_time', 'an attempt is signed with the time of the event instead of its own', 1500, [
        replace(
          'server/src/workers/deliveries/attempt.ts',
          'timestamp: seconds(now), body',
          'timestamp: seconds(event.created), body',
        ),
      ]),
      fault('schedules_in_utc', 'a schedule ignores its time zone and fires in UTC', 1500, [
        replace(
          'server/src/automations/cron.ts',
          "new Cron(cron, { timezone, mode: '5-part', paused: true })",
          "new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true })",
        ),
      ]),
    ]),
  ],
  tenants: [
    fault('person_ignored', 'entries of an inbox are found by others of the organization', 1200, [
      replace(
        'server/src/api/request/target.ts',
        "return 'serviceUser' in caller && personOf(row) === actingUser(caller)",
        "return 'serviceUser' in caller && personOf(row) !== null && actingUser(caller) !== ''",
      ),
    ]),
    fault('realm_ignored', 'an object is looked up by id without its realm', 120, [realm_forgotten]),
    fault('cursor_without_realm', 'the signature of a cursor does not cover the realm', 360, [
      replace('server/src/api/request/cursor.ts', `\n\${binding.realm}\n`.replaceAll('\n', '\\n'), '\\n'),
    ]),
    ...on('postgres', [
      fault(
        'batch_not_narrowed',
        'a statement that does not name its tenant sees the rows of all organizations in its batch',
        1200,
        [
          realm_forgotten,
          replace(
            'server/src/db/postgres/tx.ts',
            "return narrow === null || isOwn(narrow, query.statement('postgres').effect, values) ? null : narrow",
            'return narrow === null || values !== query ? null : narrow',
          ),
        ],
      ),
      fault('batch_set_grows', 'a batch also sees the organizations of earlier batches', 1200, [
        realm_forgotten,
        replace(
          'server/src/db/postgres/tx.ts',
          "import { isSame, scopeSettings, settingStatements, type Visible } from './row-security.ts'",
          `import { isSame, scopeSettings as settingsOf, settingStatements, type Visible } from './row-security.ts'

const seen = new Map()
function scopeSettings(visible, transaction) {
  if (visible === 'system') return settingsOf(visible, transaction)
  for (const scope of [visible].flat()) seen.set(JSON.stringify(scope), scope)
  return settingsOf([...seen.values()], transaction)
}
`,
        ),
      ]),
    ]),
    fault(
      'slower_foreign_lookup',
      "another tenant's object is looked up before it is denied, which takes 1 ms longer",
      2,
      [
        replace(
          'server/src/api/declare/noun.ts',
          'declared.find ?? ((reader, { realm }, reference) => reader.first(byId, { realm, id: reference }))',
          `declared.find ?? (async (reader, { realm }, reference) => {
            const row = await reader.first(byId, { realm, id: reference })
            if (row !== undefined) return row
            const others = await reader.all(byAnyone, { id: reference })
            for (const end = performance.now() + 1; others.length > 0 && performance.now() < end; );
            return undefined
          })`,
        ),
        replace(
          'server/src/api/declare/noun.ts',
          'const byId = findById(declared.table)',
          `const byId = findById(declared.table)
            const byAnyone = query((db, p) => db.selectFrom(declared.table).select('realm').where('id', '=', p('id')))`,
        ),
      ],
    ),
  ],
  scopes: [
    fault('read_grants_write', 'a read scope grants the write scope of the same noun', 2000, [
      replace(
        'server/src/api/request/authorize.ts',
        '!caller.scopes.has(scope)',
        "!caller.scopes.has(scope) && !caller.scopes.has(scope.replace(':write', ':read') as Scope)",
      ),
    ]),
    fault('revoked_key_cached', 'a deleted credential is accepted while it is cached', 2000, [
      replace('server/src/resources/api_keys/delete.ts', 'credentials.forget()', 'void credentials'),
    ]),
    fault('plan_checked_late', 'the scope is checked before the plan', 400, [
      replace(
        pipeline,
        '  requirePlan(caller)\n  requireScope(caller, operation.scope)',
        '  requireScope(caller, operation.scope)\n  requirePlan(caller)',
      ),
    ]),
  ],
  guests: [
    fault('look_up_unlimited', 'the look-up of an object does not ask the rule of its noun', 400, [
      replace(
        'server/src/api/declare/noun.ts',
        'return (await isSeenBy(rule, row, guest, { reader, caller })) ? row : undefined',
        'return row',
      ),
    ]),
    fault('tasks_unlimited', 'lists of tasks have no condition on the projects', 400, [
      replace(
        'server/src/resources/tasks/list/queries.ts',
        'if (seen !== undefined) restrictions.push(seenCondition(seen))',
        'void seenCondition',
      ),
      replace(
        'server/src/resources/tasks/list/parameters.ts',
        'const projects = (sent ?? seen)',
        'if (sent === undefined) return undefined\n  const projects = sent',
      ),
    ]),
    fault('lists_unlimited', 'lists of other objects have no condition', 400, [
      replace(
        'server/src/api/request/page.ts',
        'const guest = options.isBelow ? null : guestCondition(noun, caller)',
        'const guest = null as ReturnType<typeof guestCondition>',
      ),
    ]),
    fault('search_unlimited', 'search finds objects outside of the projects', 400, [
      replace(
        'server/src/resources/search/list.ts',
        'const seen = caller.guest === null ? undefined : [...caller.guest.projects]',
        'const seen = undefined',
      ),
    ]),
    fault('inbox_unlimited', 'the inbox has entries about anything', 400, [
      replace(
        'server/src/resources/notifications/queries.ts',
        "if (caller.guest !== null) rows = rows.where(isOfProjects(dialect, p('seen')))",
        'void isOfProjects',
      ),
    ]),
    fault('relatives_shown', 'a task shows its parent, wherever that is', 400, [
      replace(
        'server/src/api/pipeline.ts',
        'caller.guest === null ? handled : await asCallerSees(handled, { reader, caller })',
        'handled',
      ),
    ]),
    fault('operations_open', 'operations that are not listed for guests are open to them', 400, [
      replace(
        'server/src/api/request/authorize.ts',
        'if (caller.guest === null || isForGuests(operation.id)) return',
        'void isForGuests\n  if (caller.guest === null || operation.kind !== null) return',
      ),
    ]),
  ],
  links: [
    fault('viewer_draws', 'a guest of a link for looking can draw', 28, [
      replace(
        'server/src/rooms/visitor.ts',
        "if (present.link.role !== 'editor') {",
        "if (present.link.role === '') {",
      ),
    ]),
    fault('revoked_opens', 'a revoked link still opens its board', 28, [
      replace(open_link, 'link.deleted_at !== null || now', 'now'),
    ]),
    fault('end_ignored', 'a link opens its board after its end', 28, [
      replace(open_link, 'link.deleted_at !== null || now >= link.expires_at', 'link.deleted_at !== null || now < 0'),
    ]),
    fault('lost_right_ignored', 'a link outlives the right of the person who made it', 28, [
      replace(
        open_link,
        '(await mayCreatorDraw(reader, link, now)) ? board : null',
        '(await mayCreatorDraw(reader, link, now)) === null ? null : board',
      ),
    ]),
    fault('other_boards_open', 'the token of a guest opens other boards', 28, [
      replace(
        'server/src/rooms/visitor.ts',
        'return present === null || present.board.id !== board ? null : visitorOfGuest(services, present)',
        'return present === null || board === null ? null : visitorOfGuest(services, present)',
      ),
      replace(
        'server/src/rooms/visitor.ts',
        'if (present === null || present.board.id !== board) throw endedLink()',
        'if (present === null) throw endedLink()',
      ),
    ]),
    fault('people_shown', 'guests see the ids of the people on the board', 28, [
      replace('server/src/rooms/messages.ts', '({ ...person, user: null })', '({ ...person })'),
    ]),
    fault('viewer_comments', 'a guest of a link for looking comments', 28, [
      replace(
        'server/src/resources/board_links/shared/guest-comments.ts',
        "if (accessOfLink(present.link) !== 'viewer') return present",
        "if (accessOfLink(present.link) !== 'editor' || present.link.role !== '') return present",
      ),
    ]),
    fault('mentions_shown', 'guests see whom a comment mentions', 28, [
      replace(
        'server/src/resources/board_links/shared/guest-comments.ts',
        'body: guestText(row.body),',
        "body: row.body === '' ? guestText(row.body) : [{ text: row.body }],",
      ),
    ]),
    fault('others_changed', 'a guest changes and deletes comments of others', 28, [
      replace(
        'server/src/resources/board_links/shared/guest-comments.ts',
        '  return author_type === guest_author && author_id === guest',
        "  return author_type !== '' && author_id !== guest.repeat(2)",
      ),
    ]),
    fault('commenter_adds_images', 'a guest of a link that is not for drawing adds images', 28, [
      replace(
        'server/src/console/board-guests/store-image.ts',
        "if (accessOfLink(link) === 'editor') return",
        "if (accessOfLink(link) !== 'viewer') return",
      ),
    ]),
    fault('image_replaced', 'a guest replaces an image of the board', 28, [
      replace(
        'server/src/console/board-guests/store-image.ts',
        'if (stored.has(file)) return',
        'if (stored.has(file)) void 0',
      ),
    ]),
  ],
  model: [
    fault('completed_at_kept', 'a reopened task keeps its `completed_at`', 400, [
      replace(
        'server/src/resources/tasks/shared/change.ts',
        "if (status !== 'done') return { status, completed_at: null }",
        "if (status !== 'done') return { status }",
      ),
    ]),
    fault('columns_kept', 'the columns of a deleted project are not deleted', 400, [
      replace(
        'server/src/resources/projects/change-project.ts',
        'tx.write(deleteColumns',
        'if (now < 0) tx.write(deleteColumns',
      ),
    ]),
    fault('replay_charged', 'a replay is charged like the original request', 8, [
      replace(
        'server/src/api/pipeline.ts',
        'call.charge === null || call.originalRequest !== null || status',
        'call.charge === null || status',
      ),
    ]),
    fault('ambiguous_room_accepted', 'a legacy room id shared by several boards resolves to one of them', 8, [
      replace(
        'server/src/resources/boards/board.ts',
        "throw refuse('resource_id_ambiguous'",
        "if (boards.length < 0) throw refuse('resource_id_ambiguous'",
      ),
    ]),
  ],
  fuzz: [
    fault('badly_escaped', 'a badly escaped query string is answered as an internal error', 6000, [
      replace(
        'server/src/api/request/validate.ts',
        "  } catch {\n    throw refuse('invalid_query_parameter', {",
        "  } catch (error) {\n    throw error ?? refuse('invalid_query_parameter', {",
      ),
    ]),
    fault('undocumented_field', 'a task with a due date has a field that is not documented', 6000, [
      replace(
        'server/src/resources/tasks/task.ts',
        'export const showTask: (row: ShownTaskRow) => Task = objectMaker(fields)',
        `const documented: (row: ShownTaskRow) => Task = objectMaker(fields)
export const showTask = (row: ShownTaskRow): Task => ({
  ...documented(row),
  ...(row.due_at === null ? {} : { due: true }),
})`,
      ),
    ]),
    fault('deep_filter', 'the filter parser throws an undeclared error for parentheses nested too deeply', 20_000, [
      replace(
        'server/src/resources/tasks/filter/parse.ts',
        'if (++this.#depth > limits.filter_depth_max)\n      this.#refuse(',
        'if (++this.#depth > limits.filter_depth_max)\n      throw new RangeError(',
      ),
    ]),
    fault('blocked_event_loop', 'a body over 16 KiB blocks the event loop for 300 ms', 20_000, [
      replace(
        'server/src/api/request/validate.ts',
        '  const parsed = parseStrictJson(text,',
        `  for (const end = performance.now() + 300; text.length > 16_384 && performance.now() < end; );
  const parsed = parseStrictJson(text,`,
      ),
    ]),
    fault('latin1_text', 'text from PostgreSQL is decoded as Latin-1', 3000, [
      replace('server/src/db/postgres/rows.ts', "bytes.toString('utf8', at, end)", "bytes.toString('latin1', at, end)"),
    ]),
    fault('two_body_lengths', 'a request with both Content-Length and Transfer-Encoding is accepted', 6000, [
      replace(
        'server/src/http/listener.ts',
        '      requireHostHeader: false,\n',
        '      requireHostHeader: false,\n      insecureHTTPParser: true,\n',
      ),
    ]),
  ],
  secrets: [
    ...on('sqlite', [
      fault('user_agent_unredacted', 'the request log stores the User-Agent without redaction', 40, [
        replace('server/src/api/request-log/log-request.ts', 'redactCredentials(text)', 'String(agent)'),
      ]),
      fault('unsealed_replay', 'an answer with a secret is stored unsealed for its replay', 10, [
        replace('server/src/resources/api_keys/create.ts', 'sealed: true', 'sealed: false'),
      ]),
      fault('signing_secret_encoded', 'the secret of a webhook endpoint is encoded instead of sealed', 40, [
        replace(
          'server/src/resources/webhook_endpoints/secrets.ts',
          'sealed: sealer.seal(secret, endpointContext(realm, endpoint))',
          "sealed: Buffer.from(secret).toString('base64')",
        ),
      ]),
    ]),
  ],
  egress: [
    fault('mapped_is_public', 'IPv4-mapped IPv6 addresses count as public', 100, [
      replace(
        'server/src/egress/addresses.ts',
        "return global6.check(address, 'ipv6') && ",
        'return !/^(?:::1?|f[cde].*)$/i.test(address) && ',
      ),
    ]),
    fault('endless_is_read', 'an endless answer is read 200 times too far and kept in memory', 100, [
      replace(
        'server/src/egress/exchange.ts',
        '    if (size >= bytes_max) break\n',
        '    if (size >= 200 * bytes_max) break\n',
      ),
      replace(
        'server/src/egress/exchange.ts',
        '    chunks.push(chunk)\n',
        '    chunks.push(chunk)\n    kept.push(chunk)\n',
      ),
      replace(
        'server/src/egress/exchange.ts',
        'class NoTls extends Error {}',
        'const kept: Buffer[] = []\n\nclass NoTls extends Error {}',
      ),
    ]),
  ],
  files: on('sqlite', [
    fault('acknowledged_before_kept', 'a file is acknowledged before its content is in its place', 100, [
      replace(
        'server/src/resources/files/create.ts',
        'await services.files.keep(key, content)',
        'setTimeout(() => void services.files.keep(key, content).catch(() => {}), 50)',
      ),
    ]),
    fault('write_error_ignored', 'an upload goes on after its file could not be written', 400, [
      replace(
        'server/src/files/upload.ts',
        'written += (await this.file.write(chunk, written, chunk.length - written)).bytesWritten',
        `const rest = chunk.length - written
      written += (await this.file.write(chunk, written, rest).catch(() => ({ bytesWritten: rest }))).bytesWritten`,
      ),
    ]),
    fault('expiry_not_signed', 'the signature of a URL does not cover its end', 200, [
      replace('server/src/resources/files/links.ts', 'signedText(realm, id, expires)', 'signedText(realm, id, 0)'),
      replace(
        'server/src/resources/files/links.ts',
        'signedText(realm, link.file, expires)',
        'signedText(realm, link.file, 0)',
      ),
    ]),
    fault('kind_not_signed', 'the signature of the content is valid for the preview', 200, [
      replace('server/src/resources/files/links.ts', 'sealer.sign(', "sealer.sign('file content' || "),
      replace('server/src/resources/files/links.ts', 'sealer.isSigned(', "sealer.isSigned('file content' || "),
    ]),
    fault('quotes_kept', 'quotes of a name stand in the header of a download', 200, [
      replace('server/src/http/file-content.ts', '|["\\\\%]/g', '/g'),
    ]),
    fault('all_inline', 'a browser shows files of every type by itself', 200, [
      replace('server/src/http/file-content.ts', "isShownInline(content_type) ? 'inline' : 'attachment'", "'inline'"),
    ]),
    fault('pixels_not_limited', 'images of any number of pixels are decoded, in the process itself', 100, [
      replace(
        'server/src/files/previewer.ts',
        'return size !== null && size.width * size.height <= file_limits.preview_pixels_max',
        'return size !== null',
      ),
      replace(
        'server/src/files/previewer.ts',
        'const thread = this.thread ?? this.start()',
        `const { Transformer } = await import('@napi-rs/image')
    const half = { width: 512, height: 512, fit: 2 }
    if (content.length > 0) return await new Transformer(content).resize(half).webp(80).catch(() => null)
    const thread = this.thread ?? this.start()`,
      ),
    ]),
  ]),
  large: [
    fault('whole_in_memory', 'an upload is kept in memory until it is on disk', 300, [
      replace(
        'server/src/files/upload.ts',
        'if (missing > 0) this.heads.push(Buffer.from(chunk.subarray(0, missing)))',
        'if (missing > -Infinity) this.heads.push(Buffer.from(chunk))',
      ),
    ]),
    fault('read_at_once', 'a download is read in one piece', 300, [
      replace(
        'server/src/files/folder.ts',
        'highWaterMark: file_limits.file_read_bytes',
        'highWaterMark: last - first + 1',
      ),
    ]),
  ],
  mail: on('sqlite', [
    fault('raw_field', 'a text of a person stands in a header field without being encoded', 100, [
      replace(
        'server/src/mail/smtp.ts',
        "'Auto-Submitted': 'auto-generated',",
        "'Auto-Submitted': 'auto-generated', Subject: { prepared: true, value: subject },",
      ),
      replace('server/src/mail/smtp.ts', 'subject: oneLine(subject),', ''),
    ]),
    fault('not_marked', 'mail does not say that a program wrote it', 20, [
      replace('server/src/mail/smtp.ts', "'Auto-Submitted': 'auto-generated', ", ''),
    ]),
    fault('sent_again', 'a mail that was sent is due again', 20, [
      replace(
        'server/src/workers/send-queue.ts',
        '{ status: attempt.outcome, due_at: row.due_at, error: null }',
        "{ status: 'due', due_at: row.due_at, error: null }",
      ),
    ]),
    fault('refusal_final', 'a mail that was refused for now is given up', 100, [
      replace('server/src/workers/send-queue.ts', 'attempt.permanent || attempts', "attempt.error !== '' || attempts"),
    ]),
    fault('address_not_signed', 'the address of a reply is believed without its signature', 200, [
      replace(
        'server/src/notifications/reply-address.ts',
        'sameBytes(signature, signatureOf(sealer, target)) ? target',
        'sameBytes(signature, signatureOf(sealer, target)) || signature.length === signature_chars ? target',
      ),
    ]),
    fault('any_writer', 'a reply is written by its person, from any sender', 200, [
      replace(
        'server/src/workers/replies/receive.ts',
        '!(await isOwnAddress(services.store, found, reply.from))',
        "!((await isOwnAddress(services.store, found, reply.from)) || reply.from !== '')",
      ),
    ]),
    fault('programs_answered', 'mail that programs have sent becomes comments', 200, [
      replace(
        'server/src/mail/read-reply.ts',
        "if (isAutomatic(email, domain)) return 'automatic'",
        'isAutomatic(email, domain)',
      ),
    ]),
    fault('repeated_reply', 'a reply that arrives again is another comment', 200, [
      replace(
        'server/src/workers/replies/receive.ts',
        'hash.update(messageId ?? raw)',
        'hash.update(messageId === null ? raw : messageId + String(Math.random()))',
      ),
    ]),
    fault('link_used_again', 'a link to a new password works again', 200, [
      replace(
        'server/src/console/accounts/reset-password.ts',
        'tx.run(markLinkUsed, { id: link.id, now })',
        'tx.run(markLinkUsed, { id: link.id, now: null })',
      ),
      replace(
        'server/src/console/accounts/reset-password.ts',
        "    tx.write(deleteLinksOfAccount, { account, kind: 'password' })\n",
        '',
      ),
    ]),
  ]),
  push: on('sqlite', [
    fault('gone_kept', 'a browser that its service no longer knows keeps its subscription', 21, [
      replace(
        'server/src/workers/push.ts',
        "pushed.outcome === 'gone' ? await unsubscribe(store, organization, id) : pushed",
        "pushed.outcome === 'gone' ? { outcome: 'dropped' } : pushed",
      ),
    ]),
    fault('told_again', 'a notice that was sent is due again', 21, [
      replace(
        'server/src/workers/send-queue.ts',
        '{ status: attempt.outcome, due_at: row.due_at, error: null }',
        "{ status: 'due', due_at: row.due_at, error: null }",
      ),
    ]),
    fault('given_up', 'a notice that was refused for now is given up', 21, [
      replace('server/src/workers/send-queue.ts', 'attempt.permanent || attempts', "attempt.error !== '' || attempts"),
    ]),
    fault('abandoned_forgotten', 'a notice whose process was killed is not sent again', 42, [
      replace('server/src/workers/send-queue.ts', '...(await reader.all(abandoned, { now, count })), ', ''),
      replace('server/src/workers/send-queue.ts', 'const { abandoned, due }', 'const { due }'),
    ]),
    fault('claimed_as_sent', 'a notice counts as sent before it is', 84, [
      replace('server/src/workers/send-queue.ts', "          status: 'sending',", "          status: 'sent',"),
    ]),
    fault('inactive_told', 'a person who is no longer active gets notices', 21, [
      replace(
        'server/src/resources/notifications/shared/render-mail.ts',
        "    .where('members.status', '=', 'active'),",
        "    .where('members.status', '<>', 'deleted'),",
      ),
      replace(
        'server/src/console/people/access.ts',
        'for (const { id } of active) endSession(tx, id, now)',
        'void endSession',
      ),
    ]),
    fault('ended_session_told', 'a browser whose session was ended gets notices', 21, [
      replace(
        'server/src/console/sessions/lifecycle.ts',
        '  tx.write(deleteSubscriptionsOfSession, { session: id })',
        '',
      ),
      replace('server/src/workers/push.ts', 'if (row.ended_at !== null)', 'if (row.ended_at === -1)'),
    ]),
    fault('expired_session_told', 'a browser whose session has expired gets notices', 63, [
      replace('server/src/workers/push.ts', 'if (row.expires_at <= clock.now())', 'if (row.expires_at === -1)'),
    ]),
    fault('given_up_after_two', 'a notice whose process was killed twice is given up', 84, [
      replace('server/src/notifications/limits.ts', 'push_repeats_max: 4', 'push_repeats_max: 1'),
    ]),
    fault('guest_told_elsewhere', 'a guest gets notices about projects that were taken away', 21, [
      replace(
        'server/src/resources/notifications/shared/render-push.ts',
        'const guest = await accessOfRole(reader, person.role, { organization, realm, user })',
        'const guest = null\n  void accessOfRole',
      ),
    ]),
    fault('says_more', 'a notice has the id of its entry besides', 21, [
      replace(
        'server/src/resources/notifications/shared/render-push.ts',
        'body: bodyOf(told), path, tag }',
        'body: bodyOf(told), path, tag, ...{ entry: entry.id } }',
      ),
    ]),
    fault('topic_tells', 'the topic that the push service sees is the id of the subject', 21, [
      replace(
        'server/src/resources/notifications/shared/render-push.ts',
        'const tag = topicOf(realm, entry.subject)',
        'const tag = topicOf(realm, entry.subject) && entry.subject',
      ),
    ]),
    fault('not_encrypted', 'a notice has its text in a header field', 21, [
      replace(
        'server/src/egress/push-service.ts',
        "'user-agent': 'Atrium' }",
        "'user-agent': 'Atrium', 'x-text': encodeURIComponent(payload).replaceAll('%20', ' ') }",
      ),
    ]),
    fault('internal_subscribed', 'a browser may be at an internal address', 21, [
      replace('server/src/console/pushes/create.ts', 'if (!checked.ok)', "if (!checked.ok && checked.message === '')"),
    ]),
    fault('guard_passed_by', 'notices pass by the guard of outgoing requests', 21, [
      replace(
        'server/src/egress/push-service.ts',
        'const answer = await egress.send({',
        "const { Egress: Open } = await import('./egress.ts')\n    const open = new Open({ allowedHosts: [new URL(endpoint).hostname], allowedCidrs: [] })\n    const answer = await open.send({",
      ),
    ]),
  ]),
  draw: [
    fault('lower_version_wins', 'of two states of an element the lower version wins in the server', 2, [
      replace(
        'server/src/resources/board_items/scene/merge.ts',
        'return sent.version > current.version',
        'return sent.version < current.version',
      ),
    ]),
    fault('operation_forgotten', 'a board that is read again lacks the newest operation after its stored elements', 2, [
      replace(
        'server/src/resources/board_items/scene/log.ts',
        '(await readOperations(reader, key, row.folded)) ?? []) {',
        '((await readOperations(reader, key, row.folded)) ?? []).slice(0, -1)) {',
      ),
    ]),
    ...on('postgres', [
      fault('others_ignored', 'a process does not look at the operations of others before it appends its own', 2, [
        replace(
          'server/src/rooms/room.ts',
          'state.head > scene.sequence ? await readOperations',
          'state.head < scene.sequence ? await readOperations',
        ),
      ]),
    ]),
  ],
  crowd: [
    fault('stalled_stream_kept', 'a slow stream is not closed at the buffer limit', 150, [
      replace(
        'server/src/api/stream/event-stream.ts',
        'if (sink.pending() > limits.stream_behind_bytes_max) finish',
        'if (sink.pending() > 1000 * limits.stream_behind_bytes_max) finish',
      ),
    ]),
    fault('slow_stream_blocks_others', 'one slow stream stops the delivery to all streams after it', 60, [
      replace(
        'server/src/api/stream/event-stream.ts',
        'if (patterns.some((pattern) => subscribes(pattern, row.type))) write(frame(services, row, caller, version))',
        `if (patterns.some((pattern) => subscribes(pattern, row.type))) write(frame(services, row, caller, version))
      if (over) throw new Error('a stream is behind')`,
      ),
    ]),
    fault('claims_wait_for_all', 'no endpoint is claimed until all claimed endpoints are served', 60, [
      replace(
        'server/src/workers/deliveries/courier.ts',
        'for (const lease of held) this.open(lease)\n',
        'for (const lease of held) this.open(lease)\n    await this.queue.emptied()\n',
      ),
    ]),
  ],
  simulation: [
    ...commit_faults,
    fault('timeout_is_success', 'a delivery that timed out counts as succeeded', 12, [
      replace(
        'server/src/workers/deliveries/attempt.ts',
        'const succeeded = answer.ok && answer.status >= 200 && answer.status <= 299',
        `const succeeded = answer.ok ? answer.status >= 200 && answer.status <= 299 : answer.failure === 'timeout'`,
      ),
    ]),
    fault('lease_never_expires', 'the lease of a killed process never expires', 12, [
      replace(
        'server/src/workers/deliveries/courier.ts',
        ".where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now'))]))\n      .where('consecutive_failures'",
        ".where('lease_until', 'is', null)\n      .where('consecutive_failures'",
      ),
    ]),
    fault('unfenced_runs', 'a process continues an automation run after it lost the lease', 40, [
      replace(
        'server/src/resources/automation_runs/steps/transaction.ts',
        "if (row === undefined || row.epoch !== epoch || row.lease_owner !== lease_owner) return 'lost'\n  return row.revision === revision ? 'held' : 'stale'",
        "return row === undefined || revision < epoch || lease_owner === null ? 'lost' : 'held'",
      ),
    ]),
    fault('reservation_refunded', 'the whole reservation of credits is refunded instead of its unspent part', 12, [
      replace(
        'server/src/api/credits/charge.ts',
        'account.inHand += price - cost',
        'account.inHand += price - 0 * cost',
      ),
    ]),
    fault('sequence_gap', 'the log skips a sequence number after each commit', 6, [
      replace(
        'server/src/db/sqlite/tx.ts',
        'this.connection.run(writeEventHead, { realm, sequence })',
        'this.connection.run(writeEventHead, { realm, sequence: sequence + 1 })',
      ),
    ]),
    fault('rows_kept_too_long', 'expired rows are kept ten times as long', 12, [
      replace(
        'server/src/workers/sweeps/by-age.ts',
        'before: clock.now() - kept_ms, count',
        'before: clock.now() - 10 * kept_ms, count',
      ),
    ]),
    fault('unseeded_jitter', 'the jitter of a retry depends on the uptime of the machine instead of the seed', 4, [
      replace(
        'server/src/lib/back-off.ts',
        '(Math.random() * 2 - 1) * percent',
        '(process.hrtime()[1] / 5e8 - 1) * percent',
      ),
    ]),
  ],
} satisfies Readonly<Record<string, readonly PlantedFault[]>>

export type RowName = keyof typeof faults

export function faultsOf(row: string): readonly PlantedFault[] {
  return Object.hasOwn(faults, row) ? faults[row as RowName] : []
}
