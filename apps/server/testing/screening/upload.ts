// Sends CSV files as browsers and curl do.
import type { ScreeningReply } from '@limen/contract';
import type { LightMyRequestResponse } from 'fastify';
import type { TestApp } from '#testing/test-app.ts';

export const HEADER = 'id,firstname,lastname,dob\n';
const BOUNDARY = '------------------------d74496d66958873e';
const URL_PATH = '/v2/open-sanctions/file';

interface PartOptions {
  field?: string;
  fileName?: string | undefined;
}

/** Builds one part of a form. Without a file name it is a field. */
export function createPart(content: string | Uint8Array, { field = 'file', fileName }: PartOptions = {}): Buffer {
  const name = fileName === undefined ? '' : `; filename="${fileName}"`;
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"${name}\r\n${
    fileName === undefined ? '' : 'Content-Type: text/csv\r\n'
  }\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

export function createForm(...parts: Buffer[]): { payload: Buffer; headers: Record<string, string> } {
  return {
    payload: Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}

export function csvForm(csv: string | Uint8Array) {
  return createForm(createPart(csv, { fileName: 'people.csv' }));
}

export function post(
  app: TestApp,
  dataset: string,
  form: { payload: Buffer; headers: Record<string, string> },
  query = '',
): Promise<LightMyRequestResponse> {
  return app.http.inject({ method: 'POST', url: `${URL_PATH}/${dataset}${query}`, ...form });
}

export function screen(app: TestApp, dataset: string, csv: string | Uint8Array, query = '') {
  return post(app, dataset, csvForm(csv), query);
}

/** Returns the reply to a file whose screening must succeed. */
export async function screenSuccessfully(
  app: TestApp,
  dataset: string,
  csv: string,
  query = '',
): Promise<ScreeningReply> {
  const reply = await screen(app, dataset, csv, query);
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${reply.body}`);
  if (!reply.body.endsWith('}\n')) throw new Error('the reply does not end its line');
  return reply.json() as ScreeningReply;
}

/** Screens a file over a real connection. */
export async function fetchScreened(origin: string, dataset: string, csv: string, query = ''): Promise<Response> {
  const form = new FormData();
  form.set('file', new File([csv], 'people.csv', { type: 'text/csv' }));
  return fetch(`${origin}${URL_PATH}/${dataset}${query}`, { method: 'POST', body: form });
}
