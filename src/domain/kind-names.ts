import { type TransactionRow, type TransactionType, transactionTable, transactionTypes } from './transaction-kind.ts';

type Language = keyof (typeof transactionTable)['SALE']['printed'];

/** The names of all types on paper. */
export function printedNames(language: Language): Readonly<Record<TransactionType, string>> {
  const names = transactionTypes.map((type) => [type, transactionTable[type].printed[language]]);
  return Object.fromEntries(names) as Record<TransactionType, string>;
}

/** The names of all types at the screen, by language. */
export function shownNames(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const languages = Object.keys(transactionTable.SALE.printed) as readonly Language[];
  const namesIn = (language: Language) =>
    transactionTypes.flatMap((type) => {
      const row: TransactionRow = transactionTable[type];
      return row.shown ? [[type, row.shown[language]]] : [];
    });
  return Object.fromEntries(languages.map((language) => [language, Object.fromEntries(namesIn(language))]));
}
