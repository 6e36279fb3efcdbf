// Shows the code for another device and follows that device until the session ends.
import type { DeviceClient, DeviceView, HandoffFindings } from '@limen/sdk/device';
import type { HandoffScreen } from '../../course/screens.ts';
import { packFindings } from '../check/carry-findings.ts';
import type { PageTools } from '../page-tools.ts';
import type { Platform } from '../platform.ts';
import { describeProgress, timeLeftMs, toMinutes } from '../session/describe-view.ts';
import { countDown } from '../waiting/count-down.ts';

export interface FollowPhoneOptions {
  client: DeviceClient;
  platform: Pick<Platform, 'now' | 'after' | 'nameDevice'>;
  reason: HandoffScreen['reason'];
  /** Already handed off, for example before a reload. There is no code to show. */
  isFollower: boolean;
  findings(): HandoffFindings | undefined;
  show(screen: HandoffScreen): void;
  signal: AbortSignal;
}

export type FollowedPhone = ReturnType<typeof followPhone>;

export function followPhone(options: FollowPhoneOptions) {
  const { client, platform, reason, isFollower, findings, show, signal } = options;
  let screen: HandoffScreen = {
    name: 'handoff',
    reason,
    url: '',
    number: '',
    minutesLeft: 1,
    followed: 'waiting',
    state: isFollower ? 'following' : 'code',
    canGoBack: !isFollower && reason === 'chosen',
  };
  let stopCounting = () => {};

  function update(changes: Partial<HandoffScreen>): void {
    screen = { ...screen, ...changes };
    if (!signal.aborted) show(screen);
  }

  function updateTimeLeft(leftMs: number): void {
    // In other states no code can expire.
    if (screen.state !== 'code') stopCounting();
    else if (leftMs > 0) update({ minutesLeft: toMinutes(leftMs) });
    else update({ state: 'old_code' });
  }

  async function renewCode(): Promise<void> {
    const { url, number, expiresAt } = await client.handoff({
      began: platform.nameDevice(),
      findings: findings(),
      signal,
    });
    // Counts from the server's clock, because the device's may be wrong.
    const { serverTime } = await client.view({ signal });
    signal.throwIfAborted();
    const until = platform.now() + timeLeftMs({ expiresAt, serverTime });
    update({ url, number, state: 'code' });
    stopCounting();
    stopCounting = countDown(platform, until, updateTimeLeft);
  }

  async function follow(): Promise<DeviceView> {
    if (isFollower) update({});
    else await renewCode();
    for await (const view of client.follow({ signal })) {
      if (view.end) return view;
      const followed = describeProgress(view);
      if (view.role === 'follower') update({ state: 'following', followed, canGoBack: false });
      else if (view.wrongNumber && screen.state === 'code') update({ state: 'other_number' });
      else if (view.handoffDeclined && screen.state === 'code') update({ state: 'declined' });
    }
    throw signal.reason;
  }

  return {
    /** Last view: the session ended or `signal` aborted. */
    ended: follow().finally(() => stopCounting()),
    renewCode,
  };
}

export type PhoneWatch = ReturnType<typeof createPhoneWatch>;

interface PhoneWatchOptions extends PageTools {
  open(view: DeviceView): void;
  fail(error: unknown): void;
}

export function createPhoneWatch(options: PhoneWatchOptions) {
  const { client, platform, work, standing, claiming, kept, stage, open, fail } = options;
  let followed: { phone: FollowedPhone; signal: AbortSignal } | undefined;

  function show(screen: HandoffScreen): void {
    // The phone has received what it needs and finds the rest itself.
    if (screen.state === 'following') kept.wipe();
    stage.show(screen);
  }

  return {
    /** `isFollower`: the session was handed off before, for example before a reload. */
    begin(isFollower: boolean): void {
      work.run(async ({ signal }) => {
        const plan = isFollower ? undefined : await claiming.claim(signal);
        const reason = standing.isPhoneOnly() ? 'desktop' : 'chosen';
        const findings = () => plan && packFindings(plan, kept.get(plan, client.log()));
        const phone = followPhone({ client, platform, reason, isFollower, findings, show, signal });
        followed = { phone, signal };
        open(await phone.ended);
      });
    },
    renewCode(): void {
      if (!followed || followed.signal.aborted) return;
      const { phone, signal } = followed;
      phone.renewCode().catch((error: unknown) => {
        if (!signal.aborted) fail(error);
      });
    },
  };
}
