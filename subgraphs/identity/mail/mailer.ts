/** A mail of ours: short, plain text. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mail. Implementations: `mailer.smtp.ts`, `mailer.outbox.ts`. */
export interface Mailer {
  /** Resolves once the next server, or the disk, has it. */
  send(mail: Mail): Promise<void>;
  close(): void;
}
