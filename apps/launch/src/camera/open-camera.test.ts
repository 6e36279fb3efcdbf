import { afterEach, describe, expect, test, vi } from 'vitest';
import { CameraError, isCameraAllowed, openCamera } from './open-camera.ts';

afterEach(() => vi.unstubAllGlobals());

class FakeTrack extends EventTarget {
  readonly label = 'FaceTime HD Camera';
  isStopped = false;
  stop() {
    this.isStopped = true;
  }
}

function createStream(...tracks: FakeTrack[]) {
  return { getTracks: () => tracks, getVideoTracks: () => tracks };
}

function stubCamera(getUserMedia: (wanted: MediaStreamConstraints) => Promise<unknown>) {
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia } });
}

const signal = new AbortController().signal;
const named = (name: string) => Object.assign(new Error(name), { name });

describe('opening the camera', () => {
  test('requests the front camera without sound and reports its name', async () => {
    const asked: MediaStreamConstraints[] = [];
    const track = new FakeTrack();
    stubCamera(async (wanted) => {
      asked.push(wanted);
      return createStream(track);
    });
    const camera = await openCamera('user', signal);
    expect(asked).toMatchObject([{ video: { facingMode: 'user' }, audio: false }]);
    expect(camera.label).toBe('FaceTime HD Camera');
    camera.stop();
    expect(track.isStopped).toBe(true);
  });

  test('requests the rear camera with more pixels and keeps it in focus if possible', async () => {
    const asked: MediaStreamConstraints[] = [];
    const applied: unknown[] = [];
    const track = Object.assign(new FakeTrack(), {
      getCapabilities: () => ({ focusMode: ['manual', 'continuous'] }),
      applyConstraints: async (constraints: unknown) => void applied.push(constraints),
    });
    stubCamera(async (wanted) => {
      asked.push(wanted);
      return createStream(track);
    });
    await openCamera('environment', signal);
    expect(asked).toMatchObject([{ video: { facingMode: 'environment', width: { ideal: 1920 } }, audio: false }]);
    expect(applied).toEqual([{ advanced: [{ focusMode: 'continuous' }] }]);
  });

  test.each([
    ['cannot say', new FakeTrack()],
    ['has none', Object.assign(new FakeTrack(), { getCapabilities: () => ({}) })],
  ])('opens a camera that %s how it focuses', async (_what, track) => {
    stubCamera(async () => createStream(track));
    expect((await openCamera('environment', signal)).label).toBe('FaceTime HD Camera');
  });

  test('reports once that it was unplugged', async () => {
    const track = new FakeTrack();
    stubCamera(async () => createStream(track));
    const onLost = vi.fn();
    (await openCamera('user', signal)).onLost(onLost);
    track.dispatchEvent(new Event('ended'));
    track.dispatchEvent(new Event('ended'));
    expect(onLost).toHaveBeenCalledOnce();
  });

  test.each([
    ['NotAllowedError', 'refused'],
    ['SecurityError', 'refused'],
    ['NotFoundError', 'missing'],
    ['DevicesNotFoundError', 'missing'],
    ['NotReadableError', 'busy'],
    ['TrackStartError', 'busy'],
    ['AbortError', 'busy'],
    ['TypeError', 'insecure'],
    ['SomethingNewError', 'refused'],
  ])('maps the error %s to the obstacle %s', async (name, obstacle) => {
    stubCamera(() => Promise.reject(named(name)));
    await expect(openCamera('user', signal)).rejects.toMatchObject({ name: 'CameraError', obstacle });
  });

  test('accepts any camera if none meets the constraints, even if the browser throws no Error', async () => {
    const asked: unknown[] = [];
    stubCamera(async ({ video }) => {
      asked.push(video);
      if (video !== true) throw { name: 'OverconstrainedError' };
      return createStream(new FakeTrack());
    });
    await openCamera('user', signal);
    expect(asked.at(-1)).toBe(true);
    stubCamera(() => Promise.reject(named('OverconstrainedError')));
    await expect(openCamera('user', signal)).rejects.toMatchObject({ obstacle: 'missing' });
  });

  test('fails if the page is not served securely', async () => {
    vi.stubGlobal('navigator', {});
    await expect(openCamera('user', signal)).rejects.toEqual(new CameraError('insecure'));
  });

  test('fails without a video track', async () => {
    stubCamera(async () => createStream());
    await expect(openCamera('user', signal)).rejects.toMatchObject({ obstacle: 'missing' });
  });

  test('turns off a camera that was granted too late', async () => {
    const control = new AbortController();
    const track = new FakeTrack();
    stubCamera(async () => {
      control.abort('changed my mind');
      return createStream(track);
    });
    await expect(openCamera('user', control.signal)).rejects.toBe('changed my mind');
    expect(track.isStopped).toBe(true);
  });

  test('does not prompt if the signal is already aborted', async () => {
    const ask = vi.fn();
    stubCamera(ask);
    await expect(openCamera('user', AbortSignal.abort('too late'))).rejects.toBe('too late');
    expect(ask).not.toHaveBeenCalled();
  });
});

test.each([
  ['granted', true],
  ['prompt', false],
  ['denied', false],
])('reports for the permission %s whether the camera opens without a prompt: %s', async (state, isAllowed) => {
  vi.stubGlobal('navigator', { permissions: { query: async () => ({ state }) } });
  expect(await isCameraAllowed()).toBe(isAllowed);
});

test('expects a prompt if the browser cannot query the permission', async () => {
  vi.stubGlobal('navigator', {});
  expect(await isCameraAllowed()).toBe(false);
});
