import type { LexiconWords } from './lexicon.ts';

export const en: LexiconWords = {
  numbers: `a=1 an=1 one=1 single=1 two=2 both=2 double=2 couple=2 pair=2 three=3 triple=3 few=3 four=4 several=4 five=5 six=6 seven=7
    eight=8 nine=9 ten=10 eleven=11 twelve=12 dozen=12 fifteen=15 twenty=20 thirty=30 forty=40 fifty=50 hundred=100
    half=0.5 quarter=0.25 third=0.33333333 thirds=0.33333333 quarters=0.25`,
  masses: `g=1 gr=1 gm=1 gms=1 gram=1 grams=1 gramme=1 grammes=1 grm=1 kg=1000 kgs=1000 kilo=1000 kilos=1000 kilogram=1000 kilograms=1000 mg=0.001
    oz=28.35 ounce=28.35 ounces=28.35 lb=453.6 lbs=453.6 pound=453.6 pounds=453.6`,
  volumes: `ml=1 mls=1 milliliter=1 millilitre=1 milliliters=1 millilitres=1 cl=10 dl=100 deciliter=100 decilitre=100 l=1000 ltr=1000
    liter=1000 litre=1000 liters=1000 litres=1000 floz=29.57 quart=946`,
  measures: `cup=cup cups=cup c=cup tbsp=tbsp tbsps=tbsp tbs=tbsp tblsp=tbsp tablespoon=tbsp tablespoons=tbsp tablespoonful=tbsp tsp=tsp tsps=tsp
    teaspoon=tsp teaspoons=tsp teaspoonful=tsp slice=slice slices=slice piece=piece pieces=piece pc=piece pcs=piece unit=piece item=piece whole=whole
    breast=breast breasts=breast thigh=thigh thighs=thigh drumstick=drumstick fillet=fillet fillets=fillet filet=fillet filets=fillet chop=chop patty=patty patties=patty link=link links=link
    rasher=rasher rashers=rasher strip=strip strips=strip can=can cans=can tin=can tins=can bottle=bottle bottles=bottle glass=glass glasses=glass
    mug=mug mugs=mug container=container pot=container tub=container carton=carton cartons=carton packet=packet packets=packet pack=packet package=packet packs=packet pouch=packet sachet=packet
    bar=bar bars=bar scoop=scoop scoops=scoop pat=pat pats=pat knob=knob stick=stick sticks=stick wedge=wedge wedges=wedge cube=cube cubes=cube square=square squares=square
    spear=spear spears=spear stalk=stalk stalks=stalk floret=floret florets=floret leaf=leaf leaves=leaf head=head bunch=bunch ear=ear ears=ear cob=cob block=block bag=bag bags=bag box=box
    bowl=bowl bowls=bowl bowlful=bowl plate=plate plates=plate plateful=plate handful=handful handfuls=handful fistful=handful pinch=pinch dash=dash splash=splash
    drizzle=drizzle dollop=dollop spoon=tbsp spoons=tbsp spoonful=tbsp spoonfuls=tbsp serving=portion servings=portion portion=portion portions=portion helping=portion order=portion side=portion
    shot=shot shots=shot pint=pint pints=pint ball=ball balls=ball steak=steak steaks=steak clove=clove cloves=clove stack=stack wheel=wheel rack=rack skewer=skewer skewers=skewer
    loaf=loaf ring=ring rings=ring jar=jar flute=flute footlong=footlong bucket=bucket tube=tube jigger=shot measure=measure`,
  sizes: `mini=mini tiny=mini small=small little=small medium=medium regular=medium average=medium large=large big=large huge=extra_large giant=extra_large
    jumbo=jumbo grande=large tall=medium venti=extra_large xl=extra_large`,
  energy: `kcal kcals cal cals calorie calories kilocalories kilocalorie`,
  separators: `and with plus then also on over in topped alongside followed n w und`,
  ranges: `to or till until`,
  negations: `no without minus not hold skip skipped except sans excluding `,
  raw: `raw uncooked dry dried unprepared`,
  sugarFree: `sugarfree diet zero`,
  prepositions: `of`,
  ignored: `plain fresh cooked boiled steamed grilled baked roasted roast fried pan stir deep sauteed toasted poached broiled barbecued frozen chilled cold hot warm iced ice melted mashed chopped diced sliced shredded grated
    peeled ripe organic homemade home made leftover natural unsweetened sweetened salted unsalted lean skinless boneless free range extra thick thin crunchy creamy crispy soft hard light heaped heaping level generous good nice decent rounded full squeezed freshly
    wild farmed canned tinned bottled instant low fat nonfat lowfat reduced style multigrain wholegrain wholemeal gluten dairy vegan vegetarian veggie spicy tender tasty delicious healthy typical usual normal standard real pure fluffy yummy quick simple classic crumbled ground minced cubed halved quartered drained rinsed
    cheap takeaway takeout restaurant supermarket store bought buttered seasoned marinated stuffed filled decaf skinny virgin sized approx approximately about around roughly circa nearly almost maybe probably like some bit more less another other own
    american british english french italian german spanish greek turkish chinese indian thai japanese mexican asian korean vietnamese swedish danish belgian dutch mediterranean
    herb herbed garlicky lemony peppered honeyed glazed cured aged mature mild strong sweet sour bitter dark white brown red green yellow black blue golden purple pink mixed assorted chunky smooth sparkling still fizzy double single triple
    heinz kellogg kelloggs nestle danone kraft hellmanns hellmann barilla dole chiquita tesco lidl aldi walmart costco starbucks mcdonalds mcdonald maccies mcd kirkland lindt cadbury cadburys hershey hersheys quaker
    skippy jif tropicana simply minute maid walkers clif myprotein bonne maman sainsbury sainsburys waitrose trader joe joes daves killer wonder warburtons hovis president kerrygold lurpak anchor land lakes dannon yoplait total
    bertolli cecco uncle bens mission old el paso birds eye giant del monte john west starkist bumble bee princes siggis arla muller mueller coors dominos burger king kfc wendys chipotle greggs pret nandos costa dunkin asda morrisons marks spencer rewe edeka carrefour mercadona hacendado
    i ive had have having ate eat eaten eating drank drink drinks drinking my me we our for breakfast lunch dinner supper snack brunch teatime today yesterday tonight this morning afternoon evening night after before workout post pre at am pm the from to it its was were is are that
    just only very really so which by mid late early noon midday midnight each every total as well made using got grabbed did up out down kind sort type meal food consumed finished left too worth use used contains containing includes including consisting consists consist made
    board platter menu combo deal dip special leftovers assorted selection rare  quite rather size sized piece pieces of`,
  composites: `sandwich=bread_white sandwiches=bread_white sarnie=bread_white butty=bread_white toastie=bread_white sandwhich=bread_white sandwitch=bread_white
    wrap=tortilla_flour wraps=tortilla_flour roll=bread_roll rolls=bread_roll bap=bread_roll baguette=bread_french bagel=bagel bagels=bagel toast=toast_white pita=pita pitta=pita ciabatta=bread_french panini=bread_french croissant=croissant
    salad=lettuce salads=lettuce omelette=omelette omelet=omelette omelettes=omelette pasta=pasta spaghetti=pasta linguine=pasta penne=pasta noodles=pasta tagliatelle=pasta burger=burger_bun burgers=burger_bun`,
};
