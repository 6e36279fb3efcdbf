// The device's role.
export { type DeviceKey, openDevice, type TokenDevice } from './device.ts';
export { verifyChallenge } from './verify-challenge.ts';
