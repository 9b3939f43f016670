/** A mail of the platform: short, plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mail. Implementations: `mailer.smtp.ts`, `mailer.outbox.ts`. */
export interface Mailer {
  /** Resolves when the mail server has accepted the mail, or when the mail's file is on disk. */
  send(mail: Mail): Promise<void>;
  close(): void;
}
