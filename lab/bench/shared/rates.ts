// Rates with confidence intervals, quantiles and Markdown tables for the evaluations.

/** 95% intervals: Wilson's, and the rule of three (3 ÷ n) for 0% or 100%. */
export function describeRate(hits: number, of: number): string {
  if (of === 0) return 'none measured';
  const [low, high] = boundRate(hits, of);
  return `${hits} of ${of} = ${percent(hits / of)} (${percent(low)} to ${percent(high)})`;
}

export function boundRate(hits: number, of: number): [number, number] {
  if (hits === 0) return [0, Math.min(3 / of, 1)];
  if (hits === of) return [Math.max(1 - 3 / of, 0), 1];
  const z = 1.96;
  const share = hits / of;
  const middle = (share + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return [middle - half, middle + half];
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value === 0 || value >= 10 ? value.toFixed(0) : value.toFixed(value < 1 ? 2 : 1)} %`;
}

/** Interpolates linearly. NaN without values. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  return below + (at - Math.floor(at)) * ((sorted[Math.ceil(at)] ?? below) - below);
}

/** Probability that a value of the first kind exceeds one of the second. */
export function areaUnderCurve(higher: readonly number[], lower: readonly number[]): number {
  let wins = 0;
  for (const one of higher) for (const other of lower) wins += one > other ? 1 : one === other ? 0.5 : 0;
  return wins / (higher.length * lower.length);
}

export function printTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(`\n### ${title}\n`);
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
}
