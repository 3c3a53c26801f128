import { patterns } from '@rollcall/contracts';

const phone = new RegExp(patterns.phone, 'u');

/** A cell phone number in international format (docs/contract, "Phonenumber"). */
export const isPhoneNumber = (text: string): boolean => phone.test(text);
