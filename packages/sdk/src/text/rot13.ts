// ROT13, which the plain endpoints can write ids in. It hides nothing from anybody.

/** Its own inverse. Only the letters a to z change. */
export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    return String.fromCharCode((code & 31) <= 13 ? code + 13 : code - 13);
  });
}
