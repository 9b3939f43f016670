import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { noteOutsideEffect } from '#server/outside-effects.ts';
import type { Mailer } from './mailer.ts';

/** Writes each mail to one `.eml` file, readable by its owner only; for installations without a mail server. */
export function outboxMailer(folder: string, from: string): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      noteOutsideEffect();
      const { message } = await composer.sendMail({ from, ...mail });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date().toISOString().replace(/\D/g, '')}-${randomUUID()}`;
      // The file has another name at first, so that a program that watches the folder finds only complete mails.
      await writeFile(path.join(folder, `.${name}.part`), message as Buffer, { mode: 0o600, flush: true });
      await rename(path.join(folder, `.${name}.part`), path.join(folder, `${name}.eml`));
    },
    close: () => composer.close(),
  };
}
