// Reads QR codes with the camera, if the browser has a `BarcodeDetector`. The page downloads no library for other browsers.

const EVERY_MILLIS = 200; // 5 pictures a second

export const hasCamera = async () =>
  'BarcodeDetector' in globalThis &&
  navigator.mediaDevices !== undefined &&
  (await BarcodeDetector.getSupportedFormats()).includes('qr_code');

/**
 * Shows the camera in `video`, and calls `onCode` with every code in the picture. Returns a function that stops the camera.
 */
export async function watchCamera(video, onCode) {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'user' } });
  const detector = new BarcodeDetector({ formats: ['qr_code'] });
  video.srcObject = stream;
  video.hidden = false;
  void video.play().catch(() => undefined); // rejects if the camera is stopped before the video begins
  let isStopped = false;
  const look = async () => {
    if (isStopped) return;
    const codes = document.hidden ? [] : await detector.detect(video).catch(() => []);
    for (const { rawValue } of codes) if (rawValue && !isStopped) onCode(rawValue);
    setTimeout(look, EVERY_MILLIS);
  };
  void look();
  return () => {
    isStopped = true;
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
    video.hidden = true;
  };
}
