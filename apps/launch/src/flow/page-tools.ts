import type { DeviceClient } from '@limen/sdk/device';
import type { FindingsStore } from './check/keep-findings.ts';
import type { Platform } from './platform.ts';
import type { SessionClaim } from './session/claim-session.ts';
import type { Standing } from './session/standing.ts';
import type { Stage } from './stage.ts';
import type { RunningWork } from './work.ts';

export interface PageTools {
  client: DeviceClient;
  platform: Platform;
  stage: Stage;
  work: RunningWork;
  standing: Standing;
  claiming: SessionClaim;
  kept: FindingsStore;
}
