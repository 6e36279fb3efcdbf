// Simulates Safari 16.4, the oldest supported browser, which cannot run here.
import type { BrowserContext } from 'playwright-core';

/** Features newer than 16.4 or never supported. The build handles syntax. */
const TAKE_AWAY = `{
  const missing = [
    [globalThis, 'Iterator', 'Float16Array', 'requestIdleCallback', 'scheduler', 'cookieStore', 'CloseWatcher',
      'MediaStreamTrackProcessor', 'ToggleEvent', 'Observable', 'DisposableStack', 'AsyncDisposableStack'],
    [URL, 'canParse', 'parse'],
    [AbortSignal, 'any'],
    [Promise, 'withResolvers', 'try'],
    [Object, 'groupBy'],
    [Map, 'groupBy'],
    [Map.prototype, 'getOrInsert', 'getOrInsertComputed'],
    [Set.prototype, 'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf',
      'isDisjointFrom'],
    [Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())), 'map', 'filter', 'take', 'drop', 'flatMap',
      'reduce', 'toArray', 'forEach', 'some', 'every', 'find'],
    [ArrayBuffer.prototype, 'transfer', 'transferToFixedLength'],
    [Uint8Array, 'fromBase64', 'fromHex'],
    [Uint8Array.prototype, 'toBase64', 'toHex', 'setFromBase64', 'setFromHex'],
    [RegExp, 'escape'],
    [Error, 'isError', 'captureStackTrace'],
    [Math, 'f16round', 'sumPrecise'],
    [JSON, 'rawJSON', 'isRawJSON'],
    [Intl, 'DurationFormat'],
    [WebAssembly, 'Suspending', 'promising'],
    [URLSearchParams.prototype, 'size'],
    [ReadableStream, 'from'],
    [ReadableStream.prototype, 'values', Symbol.asyncIterator],
    [Response, 'json'],
    [Response.prototype, 'bytes'],
    [Blob.prototype, 'bytes'],
    [Headers.prototype, 'getSetCookie'],
    [globalThis.Navigator?.prototype ?? {}, 'gpu', 'userAgentData', 'connection', 'deviceMemory'],
    [globalThis.WorkerNavigator?.prototype ?? {}, 'gpu', 'userAgentData', 'connection', 'deviceMemory'],
    [globalThis.Element?.prototype ?? {}, 'checkVisibility', 'setHTMLUnsafe', 'getHTML', 'ariaNotify'],
    [globalThis.HTMLElement?.prototype ?? {}, 'showPopover', 'hidePopover', 'togglePopover', 'popover'],
    [globalThis.HTMLDialogElement?.prototype ?? {}, 'requestClose', 'closedBy'],
    [globalThis.Document?.prototype ?? {}, 'startViewTransition'],
    [globalThis.Performance?.prototype ?? {}, 'memory', 'measureUserAgentSpecificMemory'],
  ];
  for (const [owner, ...names] of missing) for (const name of names) delete owner[name];
}`;

/** Applies to the page and its worker. The runtime's threads are out of reach. */
export async function actLikeOldSafari(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: TAKE_AWAY });
  await context.route(/\/assets\/face-worker[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${TAKE_AWAY}\n${await response.text()}` });
  });
}
