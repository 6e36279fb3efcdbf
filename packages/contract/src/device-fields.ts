// Fields shared by the device channel’s schemas.
import { Type } from 'typebox';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export function base64url(bytes: number, description: string) {
  const length = Math.ceil((bytes * 4) / 3);
  const example = ALPHABET.repeat(Math.ceil(length / ALPHABET.length)).slice(0, length);
  return Type.String({ pattern: `^[A-Za-z0-9_-]{${length}}$`, description, examples: [example] });
}

export const timestampSchema = (description: string) => Type.String({ format: 'date-time', description });
