/** A file that was uploaded into a step; its bytes are in the file storage under its id. */
export interface SessionFile {
  id: string;
  step: string;
  field: string;
  /** As the uploader's device called it. */
  filename: string;
  contentType: 'image/webp' | 'application/pdf';
  bytes: number;
  uploadedAt: string;
}

/** Where the bytes are. */
export const fileKey = (sessionId: string, fileId: string): string => `sessions/${sessionId}/${fileId}`;
