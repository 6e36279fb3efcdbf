// A word about what was just done, for the place that one is led to by it.
let notice: { place: string; text: string } | undefined;

/** Said once, at the top of that place. */
export function leaveNotice(place: string, text: string): void {
  notice = { place, text };
}

export function noticeFor(place: string): string | undefined {
  const found = notice?.place === place ? notice.text : undefined;
  notice = undefined;
  return found;
}
