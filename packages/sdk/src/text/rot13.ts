// ROT13, in which the plain endpoints can write ids. It is no protection.

/** Its own inverse. Changes only the letters a to z. */
export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    return String.fromCharCode((code & 31) <= 13 ? code + 13 : code - 13);
  });
}
