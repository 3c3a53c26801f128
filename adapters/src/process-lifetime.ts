import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where process numbers mean the same; fit for a file name. */
export const machine = machineName();

function machineName(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()}-${boot}-${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}`;
  } catch {
    return hostname();
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const AFTER_NAME = /\) (.*)$/s;
const START_AT = 19;

/** The process's start in kernel ticks since boot: tells it from a later one with the same id. Empty if unknown. */
export function startOf(pid: number): string {
  try {
    const [, fields = ''] = AFTER_NAME.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return fields.split(' ')[START_AT] ?? '';
  } catch {
    return '';
  }
}
