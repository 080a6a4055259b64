/** Who may hear of something, in the words of the documents. */
export const audienceOf = {
  assignee: 'the assignee, unless the task or its project is muted',
  mentioned: 'the person mentioned and everyone in a team mentioned, unless the task or its project is muted',
  thread:
    'every member of the board who wrote in the thread before, and for a comment of a guest the person who made the link',
  member: 'the person added',
  approvers: 'everyone who is asked',
  activator: 'the person who activated the flow, or renewed its authority since',
  keepers: 'the person for whom the flow acts; if that is no active member or a guest, every owner and administrator',
  holder: 'the person whose account it is',
  watchers: 'everyone who watches the task or its project',
} as const

export type Audience = keyof typeof audienceOf
