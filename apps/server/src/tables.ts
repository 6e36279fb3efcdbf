// All tables, for code that visits the whole database: docs/reference/stored-data.md, backups, new data keys, tests.
import { tables as console } from './console/tables.ts';
import { tables as keyHolder } from './faces/keyholder/tables.ts';
import { tables as faces } from './faces/tables.ts';
import type { Schema } from './platform/database/schema.ts';
import type { Table } from './platform/database/table.ts';
import { tables as platform } from './platform/tables.ts';
import { tables as records } from './records/tables.ts';
import { tables as review } from './review/tables.ts';
import { tables as screening } from './screening/tables.ts';
import { tables as sessions } from './sessions/tables.ts';
import { tables as signing } from './signing/tables.ts';
import { tables as strings } from './strings/tables.ts';
import { tables as webhooks } from './webhooks/tables.ts';

/** In order of reference: a table follows the tables that its rows refer to. */
export const TABLES: Readonly<Record<keyof Schema, Table>> = {
  ...{ ...platform, ...records, ...strings, ...webhooks, ...signing },
  ...{ ...console, ...review, ...screening, ...faces, ...keyHolder, ...sessions },
};

export const TABLE_NAMES = Object.keys(TABLES) as (keyof Schema)[];
