import { MailServer } from '../servers/mail-server.js';

/** A mail server in a process of its own, which tells its parent where it listens. */
const mail = await MailServer.start();
process.send?.(mail.url);
