// A confirmation to show on the page that follows an action.
let notice: { place: string; text: string } | undefined;

/** Shown once, at the top of that page. */
export function setNotice(place: string, text: string): void {
  notice = { place, text };
}

export function takeNotice(place: string): string | undefined {
  const found = notice?.place === place ? notice.text : undefined;
  notice = undefined;
  return found;
}
