// The service's last view of the session, and what follows from it for this device.
import type { DeviceView } from '@limen/sdk/device';
import type { Platform } from '../platform.ts';

export type Standing = ReturnType<typeof createStanding>;

export function createStanding(platform: Pick<Platform, 'isComputer'>) {
  let view: DeviceView | undefined;
  return {
    /** Undefined until the service has answered. */
    view: (): DeviceView | undefined => view,
    take(seen: DeviceView): void {
      view = seen;
    },
    /** Whether this is a computer whose camera the host does not allow. */
    isPhoneOnly: (): boolean => platform.isComputer() && !view?.enableDesktop,
    canUsePhone: (): boolean => platform.isComputer() && view?.handoff !== 'refused',
  };
}
