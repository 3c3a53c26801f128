import type { ProcessLogger } from '@rollcall/application';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** Keeps what was logged. */
export class RecordedLog implements ProcessLogger {
  readonly lines: LogLine[] = [];

  info(details: object, message: string): void {
    this.lines.push({ level: 'info', details: { ...details }, message });
  }

  warn(details: object, message: string): void {
    this.lines.push({ level: 'warn', details: { ...details }, message });
  }

  error(details: object, message: string): void {
    this.lines.push({ level: 'error', details: { ...details }, message });
  }

  of(level: LogLine['level']): readonly LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }
}
