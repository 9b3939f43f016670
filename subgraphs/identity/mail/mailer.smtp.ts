import { createTransport } from 'nodemailer';
import { noteOutsideEffect } from '#server/outside-effects.ts';
import { hostOf } from '#server/url-host.ts';
import type { Mailer } from './mailer.ts';

/** Sends mail to an SMTP server, `smtp://user:password@host:587` or `smtps://...`. */
export function smtpMailer(smtpUrl: string, from: string): Mailer {
  const url = new URL(smtpUrl);
  const transport = createTransport({
    host: hostOf(url),
    port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
    secure: url.protocol === 'smtps:',
    ...(url.username && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    pool: true,
    maxConnections: 2,
    connectionTimeout: 5_000, // 5 s
    greetingTimeout: 5_000,
    socketTimeout: 10_000, // 10 s
  });
  return {
    async send(mail) {
      noteOutsideEffect();
      await transport.sendMail({ from, ...mail });
    },
    close: () => transport.close(),
  };
}
