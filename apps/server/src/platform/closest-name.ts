// Which of the known names somebody may have meant, for messages that would otherwise only say that a name is not known.

/** Undefined where none is near. Case and whatever is no letter or digit do not count. */
export function findClosestName(given: string, known: readonly string[]): string | undefined {
  const plain = plainName(given);
  const near = known
    .map((name) => ({ name, steps: countSteps(plain, plainName(name)) }))
    .filter(({ name, steps }) => steps <= Math.floor(Math.max(plain.length, plainName(name).length) / 3));
  return near.sort((a, b) => a.steps - b.steps)[0]?.name;
}

/** As names are compared. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Letters to add, drop or change. */
function countSteps(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [down, letter] of [...one].entries()) {
    const next = [down + 1];
    for (let at = 1; at <= other.length; at += 1)
      next.push(Math.min(row[at]! + 1, next[at - 1]! + 1, row[at - 1]! + (letter === other[at - 1] ? 0 : 1)));
    row = next;
  }
  return row[other.length]!;
}
