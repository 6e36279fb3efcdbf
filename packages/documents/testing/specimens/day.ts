const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** '03 MAY 1988'; for partial dates 'MAY 1988', '1988' or a dash. */
export function writeDay(day: string): string {
  const [year, month, date] = day.split('-');
  if (!year) return '—';
  return [date, month && MONTHS[Number(month) - 1], year].filter(Boolean).join(' ');
}
