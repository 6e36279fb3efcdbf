// One application for all tests of a file, with a separate customer and galleries for each test.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestApp, type TestApp } from '#testing/test-app.ts';
import { type NodeClient, newCustomer } from './node-client.ts';

export interface NodeTest {
  app: TestApp;
  client: NodeClient;
}

export function shareNodeApp(beginTest: (test: NodeTest) => void): void {
  let app: TestApp;
  let dispose: () => Promise<void>;
  beforeAll(async () => {
    app = await startTestApp({
      environment: { SERVE: 'node', NODE_STRANGER_RATE_BURST: '100000' },
      atEnd: (end) => (dispose = end),
    });
  });
  afterAll(() => dispose());
  beforeEach(async () => beginTest({ app, client: await newCustomer(app) }));
}
