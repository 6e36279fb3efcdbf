// What every route needs: the client of the service, this host's own address, and the orders.
import { createLimenClient } from '@limen/sdk';

export const apiKey = process.env.LIMEN_API_KEY;
export const hostUrl = process.env.HOST_URL ?? `http://localhost:${process.env.PORT ?? 3004}`;
export const limen = createLimenClient({ baseUrl: process.env.LIMEN_URL, apiKey });

/**
 * Orders by id, each with what to do with it, and with its session once a webhook has named it. A real shop has a database. All
 * routes share one map, because Next.js may load this module once for each.
 */
globalThis.orders ??= new Map();
export const { orders } = globalThis;
