// What every route needs: the client of the service, this host's own address, and the orders.
import { createLimenClient } from '@limen/sdk';

export const apiKey = process.env.LIMEN_API_KEY;
export const hostUrl = process.env.HOST_URL ?? `http://localhost:${process.env.PORT ?? 3004}`;
export const limen = createLimenClient({ baseUrl: process.env.LIMEN_URL, apiKey });

/**
 * By their id: `open`, `adult`, `minor` or `unknown`. A real shop has a database; until then one map for all routes, of which Next.js
 * may load this module for each.
 */
globalThis.orders ??= new Map();
export const { orders } = globalThis;
