import { expect, it } from 'vitest';
import { isSuspiciousCamera, isVirtualCamera } from './camera-names.ts';

function judge(label: string): 'virtual' | 'suspicious' | 'camera' {
  const virtual = isVirtualCamera(label);
  const suspicious = isSuspiciousCamera(label);
  // Each name counts once.
  expect(virtual && suspicious).toBe(false);
  if (virtual) return 'virtual';
  return suspicious ? 'suspicious' : 'camera';
}

it.each([
  ...['OBS Virtual Camera', 'OBS-Camera', 'OBS-Camera2 (m-de:vice)', 'OBSBOT Virtual Camera', 'ManyCam Virtual Webcam'],
  ...['Snap Camera', 'XSplit VCam', 'e2eSoft VCam', 'SplitCam Video Driver', 'CamTwist', 'Camera (NVIDIA Broadcast)'],
  ...[
    'Dummy video device (0x0000)',
    'Streamlabs Desktop Virtual Webcam',
    'Logi Capture',
    'fake_device_0',
    'mmhmm Camera',
  ],
])('classifies %s as software', (label) => expect(judge(label)).toBe('virtual'));

it.each([
  ...['DroidCam Source 3', 'Iriun Webcam', 'EpocCam Camera', 'e2eSoft iVCam', 'Reincubate Camo', 'Camo'],
  ...['Cam Link 4K (0fd9:0066)', 'Game Capture HD60 S', 'Live Gamer Portable 2', 'USB3.0 HDMI Capture', 'AV TO USB2.0'],
  ...['Ann’s phone (Windows Virtual Camera)', 'Lenovo Virtual Camera', 'ATEM Mini Pro', 'Magewell USB Capture HDMI'],
])('classifies %s as suspicious', (label) => expect(judge(label)).toBe('suspicious'));

it.each([
  ...['FaceTime HD Camera', 'FaceTime HD Camera (Built-in) (05ac:8514)', 'Front Camera', 'Frontkamera', '前置相机'],
  ...['camera2 1, facing front', 'camera 1, facing front', 'Integrated Camera (04f2:b6d9)', 'Internal Camera', ''],
  ...[
    'OBSBOT Tiny 2 StreamCamera',
    'c922 Pro Stream Webcam (046d:085c)',
    'Logitech StreamCam',
    'HP TrueVision HD Camera',
  ],
  ...['USB Video Device', 'USB2.0 HD UVC WebCam', 'Elgato Facecam', 'Surface Camera Front', 'Ann’s iPhone Camera'],
  ...['Snapdragon Camera', 'HP Webcam', 'Razer Kiyo Pro', 'Intel(R) AVStream Camera', 'Desk View Camera', 'EasyCamera'],
])('classifies %s as a camera', (label) => expect(judge(label)).toBe('camera'));

it('checks only the start of an overlong name', () => {
  expect(judge(`ManyCam${'x'.repeat(1_000_000)}`)).toBe('virtual');
  expect(judge(`${'x'.repeat(1_000_000)}ManyCam`)).toBe('camera');
});
