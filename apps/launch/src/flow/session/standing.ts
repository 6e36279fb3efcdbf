// What the service last said of the session, and what follows from it for this device.
import type { DeviceView } from '@limen/sdk/device';
import type { Platform } from '../platform.ts';

export interface Standing {
  /** Undefined until the service has answered. */
  view(): DeviceView | undefined;
  take(seen: DeviceView): void;
  /** A computer, and a host that does not want its camera. */
  isPhoneOnly(): boolean;
  canUsePhone(): boolean;
}

export function createStanding(platform: Pick<Platform, 'isComputer'>): Standing {
  let view: DeviceView | undefined;
  return {
    view: () => view,
    take(seen) {
      view = seen;
    },
    isPhoneOnly: () => platform.isComputer() && !view?.enableDesktop,
    canUsePhone: () => platform.isComputer() && view?.handoff !== 'refused',
  };
}
