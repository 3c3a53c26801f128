/** Invented people of several scripts; first names, last names and a job title for each. */
export interface Script {
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly titles: readonly string[];
  readonly places: readonly string[];
}

export const scripts: readonly Script[] = [
  {
    first: ['Astrid', 'Søren', 'Åse', 'Mads', 'Bjørn', 'Anne-Mette', 'Kåre', 'Frederikke', 'Jørgen', 'Ida'],
    last: [
      'Holm',
      'Kjær',
      'Nørgaard',
      'Østergård',
      'Ravn',
      'Sølvsten',
      'Brønnum',
      'Aagaard',
      'Lund',
      'Tværsted',
    ],
    titles: ['Sales manager', 'Regnskabschef', 'Kørselsleder', 'Software developer', 'Sygeplejerske'],
    places: ['Aarhus', 'København', 'Ærøskøbing', 'Malmö', 'Tórshavn'],
  },
  {
    first: ['Ólafur', 'Þórdís', 'Guðrún', 'Ægir', 'Sigríður', 'Björk'],
    last: ['Þórsson', 'Jónsdóttir', 'Ísaksson', 'Ragnheiðardóttir', 'Ölversson'],
    titles: ['Verkfræðingur', 'Skrifstofustjóri'],
    places: ['Reykjavík', 'Höfn í Hornafirði'],
  },
  {
    first: ['Ελένη', 'Γιώργος', 'Δέσποινα', 'Χρήστος'],
    last: ['Παπαδοπούλου', 'Οικονόμου', 'Αγγελίδης'],
    titles: ['Λογιστής', 'Διευθύντρια'],
    places: ['Θεσσαλονίκη', 'Αθήνα'],
  },
  {
    first: ['Олена', 'Богдан', 'Надежда', 'Željka', 'Ђорђе'],
    last: ['Шевченко', "Мар'яненко", 'Соколова', 'Đorđević', 'Љубичић'],
    titles: ['Інженер', 'Главный бухгалтер'],
    places: ['Київ', 'Београд'],
  },
  {
    first: ['ليلى', 'عمر', 'نور', 'خديجة'],
    last: ['الحسيني', 'منصور', 'بن يوسف'],
    titles: ['مهندسة برمجيات', 'محاسب'],
    places: ['الدار البيضاء', 'عمّان'],
  },
  {
    first: ['प्रिया', 'अर्जुन', 'लक्ष्मी', 'विक्रम'],
    last: ['शर्मा', 'देशपाण्डे', 'चौधरी'],
    titles: ['अभियंता', 'प्रबंधक'],
    places: ['मुंबई', 'दिल्ली'],
  },
  {
    first: ['小龙', '秀英', '婷婷', '𠮷明'],
    last: ['王', '欧阳', '司徒', '李'],
    titles: ['软件工程师', '財務主管'],
    places: ['上海', '臺北'],
  },
  {
    first: ['美咲', '健太', 'さくら', 'ユウキ'],
    last: ['田中', '佐々木', '𠮷田', '髙橋'],
    titles: ['営業部長', '👩‍🚀 宇宙飛行士'],
    places: ['東京', '大阪'],
  },
];

export const astralTitles: readonly string[] = ['🚀 Launch lead', '👩🏽‍💻 Developer', '𝒞hief 𝒮cribe', '🧑‍🍳 Chef'];
