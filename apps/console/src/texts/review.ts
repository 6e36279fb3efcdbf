// The texts of the review queue.
import type { QueueCounts } from '@limen/server/console';

export const REVIEW_TEXTS = {
  heading: 'Review',
  lead: ({ open, proposed, overdue, upTo }: QueueCounts) => {
    const said = (count: number) =>
      count > upTo ? `more than ${upTo.toLocaleString('en')}` : count.toLocaleString('en');
    const waiting = open === 1 ? '1 case waits' : `${said(open)} cases wait`;
    const second = proposed === 0 ? '' : `, ${said(proposed)} more for a second pair of eyes`;
    const text = `${waiting}${second}${overdue === 0 ? '' : `, ${said(overdue)} overdue`}.`;
    return text[0]!.toUpperCase() + text.slice(1);
  },
  empty: 'Nothing waits here. Sessions that end with REVIEW and hits of watched subjects come in by themselves.',
  emptyFiltered: 'No case matches.',
  filters: {
    state: 'State',
    kind: 'About',
    assignee: 'Taken by',
    overdue: 'Due',
    world: 'World',
  },
  waiting: 'Waiting',
  states: { open: 'Open', proposed: 'Second pair of eyes', decided: 'Decided' },
  kinds: { session: 'Sessions', hit: 'Hits' },
  kind: { session: 'Session', hit: 'Hit' },
  assignees: { me: 'Me', nobody: 'Nobody' },
  overdue: { true: 'Overdue' },
  columns: { due: 'Due', about: 'About', why: 'Why', assignee: 'Taken by' },
  late: 'overdue',
  nobody: 'nobody',
  me: 'you',
  unreadable: 'edited in the database',
  verdicts: { ALLOW: 'Allow', BLOCK: 'Block', confirmed: 'Confirm', not_this_subject: 'Not this subject' },
  decided: { ALLOW: 'allowed', BLOCK: 'blocked', confirmed: 'confirmed', not_this_subject: 'not this subject' },

  case: {
    back: 'Review',
    session: 'Session that ended with REVIEW',
    hit: 'Hit of a watched subject',
    gone: 'There is no such case. Its time may be over, or what it was about was deleted.',
    unreadable: 'This case was edited in the database and does not open. It cannot be decided.',
    due: (text: string) => `due ${text}`,
    openSession: 'Open the session',
    sessionGone: 'The session itself is past its retention. What is needed for the decision was kept.',
    openSubject: 'Open the watched subject',
    listed: 'What the list says',
    score: 'Score',
    hitGone: 'The hit is no longer listed, or does not match any more.',
    subject: 'Who is watched',
    subjectHint: 'Name, date of birth and your reference. That you looked goes into the audit log.',
    seeFirst: 'You can decide once you have looked at the watched subject.',
    reveal: 'Show and compare',
    hide: 'Hide',
    decide: 'Decision',
    needsEyes: 'Somebody else has to confirm the decision.',
    proposed: (by: string, verdict: string) => `${by} proposes: ${verdict}.`,
    waitsForOther: 'You proposed it. Somebody else has to confirm it.',
    agreeHint: 'The same decision confirms it. The other one opens the case again.',
    decidedBy: (by: string, verdict: string) => `${by} decided: ${verdict}.`,
    reasonHeading: {
      ALLOW: 'Allow this session?',
      BLOCK: 'Block this session?',
      confirmed: 'Is the subject the listed entity?',
      not_this_subject: 'Is it somebody else?',
    },
    reasonText: {
      session: 'The host is told the decision, not the reason.',
      hit: 'Decision and reason become part of the evidence.',
    },
    reason: 'Reason',
    take: 'Take it',
    release: 'Let it go',
    assign: 'Give it to',
    history: 'History',
    comment: 'Comment',
    addComment: 'Add comment',
    notes: {
      opened: 'opened by the service',
      reopened: 'opened again: what it was decided on has changed',
      assigned: 'took it',
      assignedTo: (name: string) => `gave it to ${name}`,
      released: 'let it go',
      comment: 'commented',
      proposed: 'proposed',
      objected: 'disagreed',
      decided: 'decided',
    },
    keys: 'j and k go to the next and previous case, t takes it, 1 and 2 decide, c comments.',
  },
} as const;
