// Streams of views in isolation: written views, and abandoned streams.
import { once } from 'node:events';
import type { DeviceView } from '@limen/contract';
import { PATIENCE } from '@limen/testing/patience.ts';
import { describe, expect, it, vi } from 'vitest';
import { named } from '../../platform/base/ids.ts';
import type { ViewFollower, ViewWatcher } from './follow.ts';
import { streamViews } from './follow.ts';

const VIEW = { sessionId: '1', state: 'opened', role: 'active', serverTime: '0' } as DeviceView;

function setUp(read: () => Promise<DeviceView>, heartbeatMs?: number) {
  let watcher: ViewWatcher | undefined;
  const unwatch = vi.fn();
  const follow = {
    watch: (_session: string, _key: string, given: ViewWatcher) => {
      watcher = given;
      return unwatch;
    },
  } as unknown as ViewFollower;
  const every = heartbeatMs === undefined ? {} : { heartbeatMs };
  const stream = streamViews({ follow, sessionId: named('1'), deviceKey: 'A', read, ...every });
  return { stream, unwatch, changed: () => watcher?.changed(), stop: () => watcher?.stop() };
}

/** Everything written until the end. */
async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

describe('a view stream', () => {
  it('writes a view only if more than the time has changed', async () => {
    const views: DeviceView[] = [VIEW, { ...VIEW, serverTime: '1' }, { ...VIEW, state: 'capturing', serverTime: '2' }];
    const read = vi.fn(async () => views.shift() ?? { ...VIEW, end: { flowStatus: 'EXPIRED' as const, errors: [-8] } });
    const { stream, changed, unwatch } = setUp(read);
    const text = textOf(stream);
    for (const times of [1, 2, 3]) {
      await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(times), PATIENCE);
      await new Promise(setImmediate);
      changed();
    }
    const events = (await text).split('\n\n').filter((event) => event.startsWith('event: view\ndata: '));
    expect(events.map((event) => JSON.parse(event.split('data: ')[1]!).serverTime)).toEqual(['0', '2', '0']);
    expect(unwatch).toHaveBeenCalled();
  });

  it('reads once more for all changes during a read', async () => {
    let letThrough = (_view: DeviceView) => {};
    const read = vi.fn(() => new Promise<DeviceView>((resolve) => (letThrough = resolve)));
    const { stream, changed, stop } = setUp(read);
    stream.resume();
    for (let times = 0; times < 5; times += 1) changed();
    expect(read).toHaveBeenCalledTimes(1);
    letThrough(VIEW);
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2), PATIENCE);
    stop();
    letThrough({ ...VIEW, state: 'capturing' }); // too late to be written
    await once(stream, 'end');
    await new Promise(setImmediate);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('keeps its connection alive with comments', async () => {
    const { stream, stop } = setUp(async () => VIEW, 1);
    let text = '';
    stream.on('data', (chunk) => (text += chunk));
    await vi.waitFor(() => expect(text).toContain('\n\n:\n\n:\n\n'), PATIENCE);
    stop();
    await once(stream, 'close');
  });

  it('ends when the session cannot be read', async () => {
    const { stream } = setUp(async () => {
      throw new Error('gone');
    });
    expect(await textOf(stream)).toBe('');
  });

  it('is closed when its reader stalls', async () => {
    let count = 0;
    const { stream, changed, unwatch } = setUp(async () => ({ ...VIEW, locale: String(count++).padEnd(1_000) }));
    const closed = once(stream, 'close');
    const feeding = setInterval(changed, 1);
    await closed;
    clearInterval(feeding);
    expect(unwatch).toHaveBeenCalled();
    expect(count).toBeLessThan(30);
  });
});
