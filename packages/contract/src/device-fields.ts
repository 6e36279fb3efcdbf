// Fields that the schemas of the device channel share.
import { Type } from 'typebox';

export const base64url = (bytes: number, description: string) =>
  Type.String({ pattern: `^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`, description });

export const timeOf = (description: string) => Type.String({ format: 'date-time', description });
