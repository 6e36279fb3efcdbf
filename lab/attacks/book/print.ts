// The final table of a run, and its JSON form.
import { countOf, isSound, type Played } from './play.ts';

export function printTable(played: readonly Played[]): string {
  const rows = played.map((result) => [
    result.name,
    String(result.attempts),
    String(countOf(result.accepted)),
    result.trouble === undefined ? tell(result) : result.trouble,
  ]);
  const heading = ['class', 'attempts', 'accepted', 'how it was refused'];
  const widths = [0, 1, 2].map((column) => Math.max(...[heading, ...rows].map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    `${row[0]!.padEnd(widths[0]!)}  ${row[1]!.padStart(widths[1]!)}  ${row[2]!.padStart(widths[2]!)}  ${row[3]}`;
  return [line(heading), ...rows.map(line)].join('\n');
}

/** Describes acceptances. Empty without any. */
export function printAccepted(played: readonly Played[]): string[] {
  return played.flatMap(({ name, accepted }) => [...accepted].map(([what, times]) => `${name}: ${what} (${times})`));
}

export function toJson(played: readonly Played[], late: readonly { name: string }[]): object {
  return {
    classes: played.map((result) => ({
      ...result,
      accepted: Object.fromEntries(result.accepted),
      refused: Object.fromEntries(result.refused),
    })),
    attempts: played.reduce((sum, { attempts }) => sum + attempts, 0),
    accepted: played.reduce((sum, { accepted }) => sum + countOf(accepted), 0),
    notPlayed: late.map(({ name }) => name),
    sound: late.length === 0 && played.every(isSound),
  };
}

function tell({ refused, remark }: Played): string {
  const counted = [...refused].map(([label, times]) => `${label} (${times})`);
  return [...counted, ...(remark === undefined ? [] : [remark])].join('; ');
}
