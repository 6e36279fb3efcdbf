// docs/privacy.md from the declarations of tables, and from the list of files.
import type { Protection, Table } from '../../apps/server/src/platform/database/table.ts';
import { TABLES } from '../../apps/server/src/tables.ts';
import { FILES } from './personal-files.ts';

const MEANINGS: Record<Protection, string> = {
  sealed: 'Encrypted under a data key that the master key wraps, and bound to its row.',
  digest: 'An HMAC under such a key. Without the key, nothing can be looked up by it.',
  pseudonym: 'A random id, a state or a time that belongs to one person or session and says nothing by itself.',
  readable: 'May be personal, and anyone who reads the database can read it.',
  nothing: 'Says nothing about a person.',
};

export function renderPrivacy(): string {
  return `# Privacy

<!-- The tables are generated from the tables.ts of each folder in apps/server/src by \`npm run docs\`; do not edit. -->

What Limen keeps about people, where, for how long, and what deletes it. A column that is missing from this map does not compile, so the
map is complete by construction. [security.md](security.md) says how sealed values are protected.

## In short

- **Pictures, videos and document images never leave the device.** The one exception is a selfie that a host asks for with
  \`sendImages\` at enrolment: it is sealed, goes out with the webhook and is then deleted.
- **The light on a face** ([liveness](liveness.md#the-light-of-the-screen)) is measured on the device: mean values of red, green and blue
  for the skin, twelve places on it and the room beside the head. They stay in the page's memory and are dropped at the end of the attempt.
  What is sent is one word (lit as drawn, not, cannot be told, declined) and when each colour was shown or stopped. Hosts are told a
  [risk flag](reference/risk.md) that is the same for "declined" and "cannot be told", because the reason could hint at somebody's health. The times are
  in the sealed course of the session and go with it.
- An **age check** keeps the outcome, with an age only if the host asked for one. It is deleted \`RETENTION_HOURS\` (24) after the
  session ends.
- An **enrolment** keeps a face vector: sealed if you use the biometric node; encrypted so that the service cannot read it (a face token)
  if people sign in. It is biometric data under Article 9 of the GDPR and stays until the person is deleted.
- An **age key** ([proofs](proofs.md#age-keys)) keeps the age that was shown, how and in which month, for a year at most, without a name. It
  also keeps two keyed digests: of the customer, and of the API key with the month. By the second, an operator, who holds the master key,
  can tell how many age keys an API key made in a month and delete them, but not whose they are. Hosts see neither.
- A **screened file** is held in memory while it is answered. Neither names nor dates of birth reach a disk or a log.
- **Watched subjects** are sealed at rest. Where many are watched, their names, dates of birth and identifiers are also held in memory; what
  was deleted leaves it within a day.
- Where **wallets** are accepted, the service fetches lists of what issuers and their authorities have revoked, from addresses that the
  attestation or its certificates name ([wallets](wallets.md#revoked-certificates)). Whoever publishes them sees the address of the service and
  when it asks, not for whom: a list is of many attestations, comes without cookies or referrer, and is kept for the next who
  need it. A list that few share can still tell its issuer that one of them was shown here.
- Nothing is sent to us or to anybody else: no telemetry, and no outside calls except those you configure (webhooks, lists, wallets, an OpenID
  provider, npm for models).

## How a value is protected

| word | meaning |
|---|---|
${Object.entries(MEANINGS)
  .map(([word, meaning]) => `| ${word} | ${meaning} |`)
  .join('\n')}

## Tables

${Object.entries(TABLES)
  .map(([name, table]) => renderTable(name, table))
  .join('\n')}
## Files

In \`DATA_DIR\`, and in \`KEYHOLDER_DATA_DIR\` if the key-holder is a separate process. Key-holders that share a database have the same in its
tables, and open challenges for up to a minute: sealed, with their places as keyed digests.

| file | holds | protection | kept |
|---|---|---|---|
${FILES.map(({ path, holds, protection, stays }) => `| ${path} | ${holds} | ${protection} | ${stays} |`).join('\n')}

These promises do not reach backups, replicas and the write-ahead log of PostgreSQL, disk snapshots, swap and core dumps. Limit how long
you keep those yourself ([operation.md](operation.md#backup)).

${ASSESSMENT}`;
}

function renderTable(name: string, { about, stays, deletedBy, columns }: Table): string {
  const entries = Object.entries(columns).map(([column, entry]) => ({ ...entry, column: `\`${column}\`` }));
  const lines = entries.flatMap(({ column, protection, holds }) =>
    holds ? [`| ${column} | ${protection} | ${holds} |`] : [],
  );
  for (const protection of Object.keys(MEANINGS)) {
    const alike = entries.filter((entry) => entry.protection === protection && !entry.holds);
    if (alike.length > 0) lines.push(`| ${alike.map(({ column }) => column).join(', ')} | ${protection} | |`);
  }
  return `### \`${name}\`

${about} Kept ${stays}.${deletedBy === 'nothing' ? '' : ` Deleted by: ${deletedBy}.`}

| column | protection | holds |
|---|---|---|
${lines.join('\n')}
`;
}

const ASSESSMENT = `## For a data protection assessment

You run Limen, so you are the controller; the software alone makes nobody a processor on your behalf. These are facts to start from, in
the order in which an assessment asks for them. They are not legal advice.

**Nature of the processing.** A person's device estimates an age from a live face, reads a date of birth from a document, or
turns a face into a vector. The server draws what has to be done, judges how it went and keeps an outcome.

**Purposes and data.**

| purpose | data that reaches the server | special category | kept |
|---|---|---|---|
| age by face | above, at or below a threshold, or an estimate in years; browser signals | no: no face is identified, and the vector stays on the device | the outcome, ${'`RETENTION_HOURS`'} |
| age by document | the same, with the document's kind and country | no | the outcome, ${'`RETENTION_HOURS`'} |
| enrolment, sign-in | a face token; device and passkey keys; contact details if asked for and given | yes: biometric data for identification | until the person is deleted |
| biometric node | face vectors from your own cameras | yes | until the person is deleted |
| sanctions check | names and dates of birth that you upload | criminal data may be inferred from a match | nothing |

**Necessity and proportionality.** Ask for the least that settles the question: \`threshold\` instead of \`exact\`, a face before a document, no
\`sendImages\`, no \`contact\`. The defaults do. An enrolment needs consent that is as easy to withdraw as to give:
\`deleteUser\` is that withdrawal, and the launch page has "Forget me on this device".

**Risks and measures.**

| risk | measure | what remains |
|---|---|---|
| the database is stolen | sealing under a master key that is kept elsewhere in production; face tokens that even the service cannot read | anyone who also has the master key and the key-holder's folder can compare faces |
| somebody else's face is shown | movements drawn by the server, planarity, signals, document, passkey | an injected animation passes ([liveness.md](liveness.md)) |
| an adult is taken for a minor, or vice versa | decision on the lower bound, step-up to a document, REVIEW | the estimate is years off for some people, and more often in some groups ([age.md](age.md)) |
| a person is taken for another | thresholds that grow with the number of people, a margin over the second-best match | error rates: [token.md](token.md) |
| a result is kept for too long | rows expire by themselves; redaction is immediate | copies in your own systems |

**Rights.** Access and deletion go by \`puid\`: \`limen people\` and \`deleteUser\`. For objections to automated decisions, every result
has a \`recommendation\`, and REVIEW is yours to decide. Before it begins, the page says what is asked for and by whom.
`;
