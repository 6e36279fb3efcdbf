// One signal out of several, with and without the platform's help.
import { afterEach, describe, expect, it } from 'vitest';
import { combineSignals } from './combine-signals.ts';

const any = AbortSignal.any;

describe.each(['with', 'without'])('%s AbortSignal.any', (how) => {
  afterEach(() => {
    Object.defineProperty(AbortSignal, 'any', { value: any, configurable: true, writable: true });
  });

  function takeAway() {
    if (how === 'without') Reflect.deleteProperty(AbortSignal, 'any');
    expect('any' in AbortSignal).toBe(how === 'with');
  }

  it('is aborted by the first of them, with its reason', () => {
    takeAway();
    const [one, two] = [new AbortController(), new AbortController()];
    const signal = combineSignals(one.signal, two.signal);
    expect(signal.aborted).toBe(false);
    two.abort('two');
    expect(signal.reason).toBe('two');
    one.abort('one');
    expect(signal.aborted).toBe(true);
  });

  it('is aborted at once by one that already is', () => {
    takeAway();
    expect(combineSignals(new AbortController().signal, AbortSignal.abort('late')).reason).toBe('late');
  });
});
