// Screening uploads intended to break the service, fill its memory, or lose a row.
import { type AttackClass, inTurn } from '../../attack-class.ts';
import type { Reply, Speaker } from '../../speak.ts';

const HEADER = 'id,firstname,lastname,dob\n';
const BOUNDARY = 'limen-attack-book';

function upload(
  speaker: Speaker,
  content: string | Buffer,
  { name = 'people.csv', field = 'file', more = '' } = {},
): Promise<Reply> {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"; filename="${name}"\r\ncontent-type: text/csv\r\n\r\n`;
  return speaker.send({
    method: 'POST',
    path: '/v2/open-sanctions/file/demo',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n${more}--${BOUNDARY}--\r\n`)]),
  });
}

export const uploadsBroken: AttackClass = {
  name: 'uploads-broken',
  prevents: 'uploads that never close a quote, are too large, are not text or not CSV, or come several at once',
  promise: 'docs/security.md#a-hostile-client',
  needs: 'nobody',
  refusals: ['400 malformed_request', '400 validation_failed', '413 payload_too_large', 'connection closed'],
  attempts: 100,
  async begin({ speaker }) {
    const second = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="b.csv"\r\n\r\n${HEADER}\r\n`;
    const tries: (() => Promise<Reply>)[] = [
      () => upload(speaker, `${HEADER}1,"Ann,Smith,1970-01-01\n`),
      () => upload(speaker, `${HEADER}1,"Ann"x,Smith,1970-01-01\n`),
      () => upload(speaker, `${HEADER}1,"${'a\n'.repeat(300_000)}`),
      () => upload(speaker, HEADER + 'x'.repeat(2_200_000)),
      () => upload(speaker, Buffer.from([0xff, 0xfe, 0x00, 0x41])),
      () => upload(speaker, Buffer.concat([Buffer.from(HEADER), Buffer.from([0x31, 0x2c, 0xc3, 0x28])])),
      () => upload(speaker, ''),
      () => upload(speaker, 'id,firstname\n1,Ann\n'),
      () => upload(speaker, HEADER, { name: 'people.exe' }),
      () => upload(speaker, HEADER, { name: '../../people' }),
      () => upload(speaker, HEADER, { field: 'other' }),
      () => upload(speaker, HEADER, { more: second }),
      () => upload(speaker, HEADER, { more: second.repeat(500) }),
    ];
    return async (round) => (await inTurn(tries, round)()).label;
  },
};

const ODD_CELLS = [
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-2+3',
  '@SUM(1)',
  '=HYPERLINK("http://x")',
  '<script>',
  "'; drop table people; --",
  '\u202eevil',
  '\u0000',
  'a\u0301'.repeat(200),
  '𝔸𝕟𝕟',
  'ﷺ'.repeat(50),
  '"',
  '""',
  ' ',
  '\t',
  '９９９',
  'x'.repeat(5_000),
];
const WHOLE = '200, every row came back as it was';

export const rowsLost: AttackClass = {
  name: 'rows-lost',
  prevents: 'cells that make their row, or the ones after it, vanish from the result',
  promise: 'docs/screening.md',
  needs: 'nobody',
  refusals: [WHOLE, '400 malformed_request', '400 validation_failed'],
  attempts: 100,
  async begin({ speaker }) {
    return async (round) => {
      const cells = [0, 1, 2].map((shift) => inTurn(ODD_CELLS, round + shift));
      const rows = cells.map((cell, index) => [`${index}`, cell, inTurn(ODD_CELLS, round * 7 + index), '1970-01-01']);
      const text = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n');
      const reply = await upload(speaker, HEADER + text);
      if (reply.status !== 200) return reply.label;
      const { results } = reply.json<{ results: { id: string; firstname: string; lastname: string }[] }>();
      const same = results.every(
        ({ firstname, lastname }, at) => firstname === rows[at]![1] && lastname === rows[at]![2],
      );
      return same && results.length === rows.length ? WHOLE : '200, something is lost';
    };
  },
};
