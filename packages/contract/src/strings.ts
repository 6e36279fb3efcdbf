// String store: records, requests and limits.
import { type Static, Type } from 'typebox';
import { pageQuery } from './page-query.ts';
import { ref } from './ref.ts';
import { Warnings } from './warnings.ts';

/** Maximum length of a value, in Unicode code points. */
export const STRING_MAX_CODE_POINTS = 65_536;
/** Page size of the list: default and maximum. */
export const STRING_PAGE_DEFAULT = 50;
export const STRING_PAGE_MAX = 200;

const StringValue = Type.String({
  minLength: 1,
  maxLength: STRING_MAX_CODE_POINTS,
  description: `1 to ${STRING_MAX_CODE_POINTS} Unicode code points, without NUL and lone surrogates.`,
});

export const StringRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Assigned by the service. Ids sort by creation time.' }),
    value: StringValue,
    createdAt: Type.String({ format: 'date-time', description: 'When the string was created. ISO 8601, UTC.' }),
  },
  { $id: 'StringRecord' },
);
export type StringRecord = Static<typeof StringRecord>;

export const CreatedString = Type.Object({ ...StringRecord.properties, warnings: Warnings }, { $id: 'CreatedString' });
export type CreatedString = Static<typeof CreatedString>;

export const CreateStringRequest = Type.Object({ value: StringValue }, { examples: [{ value: 'Grüße, 世界' }] });
export type CreateStringRequest = Static<typeof CreateStringRequest>;

export const ListStringsQuery = Type.Object({
  ...pageQuery({
    max: STRING_PAGE_MAX,
    defaultLimit: STRING_PAGE_DEFAULT,
    description: 'Maximum number of rows per page. A page of long values may contain fewer.',
  }),
});
export type ListStringsQuery = Static<typeof ListStringsQuery>;

export const StringPage = Type.Object(
  {
    strings: Type.Array(ref(StringRecord), { description: 'Newest first.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Opaque cursor of the next page. Absent on the last page.' })),
  },
  { $id: 'StringPage' },
);
export type StringPage = Static<typeof StringPage>;
