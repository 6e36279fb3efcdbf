// Numbers with what they count, in the singular where it is one.

export function countOf(number: number, singular: string, plural = `${singular}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? singular : plural}`;
}

export function countEntities(number: number): string {
  return countOf(number, 'entity', 'entities');
}
