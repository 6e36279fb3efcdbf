// Shared by all routes: the service's client, this host's own URL, and the orders.
import { createLimenClient } from '@limen/sdk';

export const apiKey = process.env.LIMEN_API_KEY;
export const hostUrl = process.env.HOST_URL ?? `http://localhost:${process.env.PORT ?? 3004}`;
export const limen = createLimenClient({ baseUrl: process.env.LIMEN_URL, apiKey });

/**
 * Orders by id with their decision, and with their session once a webhook has named it. A real shop
 * has a database. All routes share one map, because Next.js may load this module once per route.
 */
globalThis.orders ??= new Map();
export const { orders } = globalThis;
