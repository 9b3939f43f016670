/** A file that was uploaded into a step; its bytes are in the file storage under the key `fileKey`. */
export interface SessionFile {
  id: string;
  step: string;
  field: string;
  /** The file's name on the user's device. */
  filename: string;
  contentType: 'image/webp' | 'application/pdf';
  bytes: number;
  uploadedAt: string;
}

/** The storage key of the file's bytes. */
export const fileKey = (sessionId: string, fileId: string): string => `sessions/${sessionId}/${fileId}`;
