import type { QueueDepth } from '@rollcall/application';

interface Message {
  readonly number: number;
  readonly text: string;
  attempts: number;
  dueAt: number;
  /** Its newest delivery, where it is held. */
  holder: object | undefined;
}

/** The embedded queue without storage, processes or waiting: whoever asks gets what has been due for longest. */
export class QueueModel {
  now = 0;
  #numbers = 0;
  readonly #deadlineMs: number;
  readonly #messages: Message[] = [];

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  get depth(): QueueDepth {
    const unsettled = this.#messages.filter((message) => message.holder !== undefined).length;
    return { waiting: this.#messages.length - unsettled, unsettled };
  }

  publish(text: string): void {
    const waiting = this.#waiting(text);
    if (waiting !== undefined) waiting.dueAt = Math.min(waiting.dueAt, this.now);
    else
      this.#messages.push({ number: this.#numbers++, text, attempts: 0, dueAt: this.now, holder: undefined });
  }

  isDue(): boolean {
    return this.#due() !== undefined;
  }

  take(holder: object): { readonly text: string; readonly attempt: number } {
    const message = this.#due();
    if (message === undefined) throw new Error('There is nothing to take');
    const equal = this.#waiting(message.text);
    if (equal !== undefined && equal !== message) this.#drop(equal);
    message.attempts += 1;
    message.dueAt = this.now + this.#deadlineMs;
    message.holder = holder;
    return { text: message.text, attempt: message.attempts };
  }

  /** False where somebody else has the message, or nobody. */
  ack(holder: object): boolean {
    const message = this.#heldBy(holder);
    if (message !== undefined) this.#drop(message);
    return message !== undefined;
  }

  working(holder: object): void {
    const message = this.#heldBy(holder);
    if (message !== undefined) message.dueAt = this.now + this.#deadlineMs;
  }

  nak(holder: object, delayMs: number): void {
    const message = this.#heldBy(holder);
    if (message === undefined) return;
    const equal = this.#waiting(message.text);
    if (equal === undefined) {
      message.holder = undefined;
      message.dueAt = this.now + delayMs;
      return;
    }
    // The one that waits stays in its place.
    this.#drop(message);
    equal.attempts = Math.max(message.attempts, equal.attempts);
    equal.dueAt = Math.min(equal.dueAt, this.now + delayMs);
  }

  #due(): Message | undefined {
    return this.#messages
      .filter((message) => message.dueAt <= this.now)
      .sort((a, b) => a.dueAt - b.dueAt || a.number - b.number)[0];
  }

  #waiting(text: string): Message | undefined {
    return this.#messages.find((message) => message.text === text && message.holder === undefined);
  }

  #heldBy(holder: object): Message | undefined {
    return this.#messages.find((message) => message.holder === holder);
  }

  #drop(message: Message): void {
    this.#messages.splice(this.#messages.indexOf(message), 1);
  }
}
