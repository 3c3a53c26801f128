/** A cell phone number in international format (docs/contract, "Phonenumber"). */
export const isPhoneNumber = (text: string): boolean => /^\+[0-9]{6,20}$/.test(text);
