// Texts and parameters that several routes of watched subjects share.
import { Type } from 'typebox';

export const TAG = 'Watched subjects';
export const NOT_VALID = 'A field is missing, wrong or too long; the message names it.';
export const UNKNOWN_SUBJECT = 'There is no such subject, or it belongs to another customer or world.';
export const IdPath = Type.Object({ id: Type.String({ description: 'The subject’s id.' }) });
