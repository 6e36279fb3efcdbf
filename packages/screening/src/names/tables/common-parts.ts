// Frequency of name parts, so that a shared rare part weighs more than a shared 'muhammad' or
// 'garcia'.
import { words } from './words.ts';

// Hand-made classes by order of magnitude, worldwide or within a large region. Unlisted parts are
// rare.

/** Names of more than about 1 in 300 people. */
export const VERY_COMMON = words(`
  muhammad mohammed mohamed mohammad ahmed ahmad ali hassan hussein hussain hasan ibrahim abdullah omar khan mahmoud
  mustafa yusuf fatima aisha maryam zainab khalid said saleh mehmet ahmet mohamad rahman islam akhter hossain mia
  uddin maria jose juan carlos luis antonio francisco ana jesus manuel pedro miguel jorge garcia rodriguez gonzalez
  hernandez lopez martinez perez sanchez ramirez silva santos oliveira souza pereira joao paulo john david james
  robert michael william mary richard thomas daniel joseph charles christopher george paul mark peter andrew elizabeth
  sarah jean pierre marie smith jones johnson williams brown wang li zhang liu chen yang huang zhao wu zhou xu sun ma
  zhu hu guo lin he gao luo wei jun ming hong hui jing ying yan ping xin hua jie yu kim lee park choi jung jeong kang
  nguyen tran pham thi thanh ivan anna aleksandr alexander vladimir sergei sergey andrei andrey dmitri dmitry aleksei
  alexey nikolai mikhail elena olga tatiana natalia irina svetlana ekaterina yuri ivanov ivanova singh kumar devi ram
  sharma kaur lal prasad patel raj rani yadav reza fatemeh hossein mohammadi sato suzuki tan wong chan
`);

/** Names of about 1 in 300 to 1 in 3,000 people. */
export const COMMON = words(`
  davis miller wilson moore taylor anderson jackson harris thompson robinson clark lewis walker hall allen young
  wright scott baker adams nelson hill campbell mitchell roberts carter phillips evans turner parker collins edwards
  stewart morris murphy cook rogers morgan cooper peterson reed bailey bell kelly howard cox richardson watson brooks
  bennett gray hughes myers foster sanders ross jenkins perry powell sullivan russell fisher simpson butler barnes
  henderson coleman graham reynolds hamilton gibson wallace cole hunt stevens tucker porter hunter mason webb shaw
  wells hudson davies thomson murray macdonald jennifer linda patricia barbara susan jessica margaret karen nancy lisa
  betty helen sandra donna carol ruth sharon michelle laura kimberly deborah dorothy amy angela ashley brenda emma
  olivia cynthia catherine christine samantha rebecca rachel carolyn janet emily julie amanda stephanie melissa nicole
  alice jane victoria charlotte grace lucy hannah sophie kathleen diana steven kevin brian edward ronald timothy jason
  jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin brandon benjamin samuel gregory frank patrick
  raymond jack dennis jerry tyler aaron adam henry douglas nathan zachary kyle walter harold arthur albert martin
  simon philip matthew anthony donald kenneth joshua oliver harry keith alan ian neil muller schmidt schneider fischer
  weber meyer wagner becker schulz hoffmann koch bauer richter klein wolf schroder neumann schwarz zimmermann braun
  kruger hofmann hartmann lange werner krause lehmann kohler hermann konig mayer huber fuchs peters lang scholz moller
  weiss hahn schubert vogel friedrich keller gunther berger winkler roth lorenz baumann franke hans klaus wolfgang
  helmut gerhard heinz stefan andreas christian markus jurgen uwe ursula monika petra sabine renate karl dubois durand
  leroy moreau laurent lefebvre roux fournier morel girard andre mercier dupont lambert bonnet francois legrand
  garnier faure rousseau blanc guerin boyer roussel nicolas perrin morin mathieu clement gauthier dumont fontaine
  michel alain philippe bernard jacques christophe nathalie isabelle sylvie francoise monique julien sebastien rossi
  russo ferrari esposito bianchi romano colombo ricci marino greco bruno gallo conti costa giordano mancini rizzo
  lombardi moretti barbieri fontana santoro mariani rinaldi caruso ferrara giuseppe giovanni mario luigi andrea marco
  roberto salvatore alessandro francesco vincenzo rosa giovanna teresa lucia francesca paola fernandez gomez diaz
  torres flores rivera ramos reyes morales ortiz gutierrez cruz castillo ruiz alvarez jimenez moreno romero herrera
  medina aguilar vargas castro guzman mendoza munoz rojas delgado suarez ortega rios vega vasquez vazquez contreras
  soto dominguez guerrero mendez salazar chavez nunez cabrera navarro molina serrano blanco gil iglesias cortes
  sandoval pena acosta figueroa campos espinoza valdez leon cardenas miranda fuentes velasquez pacheco juarez lara
  salinas luna avila alejandro fernando rafael javier sergio ricardo eduardo pablo alberto andres diego enrique raul
  oscar victor hector arturo jaime gabriel cesar daniela carmen guadalupe josefa isabel dolores pilar margarita
  alejandra gabriela veronica adriana martha leticia silvia gloria juana paula sofia valentina camila claudia
  sebastian santiago mateo alves lima rocha ribeiro carvalho almeida ferreira gomes martins araujo barbosa cardoso
  nascimento moreira nunes mendes freitas fernandes teixeira vieira monteiro moura correia andrade lopes marques
  rodrigues goncalves sousa machado pinto dias cavalcanti felipe marcos lucas rodrigo leonardo gustavo thiago
  francisca juliana marcia fernanda vera beatriz raimundo sebastiao jansen bakker visser smit meijer mulder peeters
  janssens jacobs claes johansson andersson karlsson nilsson eriksson larsson olsson persson hansen johansen olsen
  larsen andersen nielsen jensen pedersen kristensen christensen sorensen virtanen korhonen lars erik anders johan
  karin nowak kowalski kowalska wisniewski wojcik kowalczyk kaminski lewandowski zielinski szymanski wozniak dabrowski
  kozlowski jankowski jan andrzej piotr krzysztof stanislaw tomasz pawel jozef marcin marek katarzyna malgorzata
  agnieszka krystyna ewa novak novotny svoboda dvorak horvath horvat kovacs nagy szabo toth varga kiss molnar nemeth
  farkas laszlo istvan jozsef zoltan popescu ionescu popa popov gheorghe vasile constantin mihai jovanovic petrovic
  nikolic markovic djordjevic stojanovic ilic pavlovic kovacevic dragan milan zoran goran nikola jelena marija
  dimitrov georgiev petrov nikolov todorov stoyanov angelov georgi dimitar hoxha petrova smirnov smirnova kuznetsov
  kuznetsova vasiliev vasilyev sokolov mikhailov novikov fedorov morozov volkov alekseev lebedev semenov egorov pavlov
  kozlov stepanov nikolaev orlov andreev makarov nikitin zakharov zaitsev soloviev borisov yakovlev grigoriev romanov
  vorobyov kuzmin frolov maksimov belov medvedev antonov tarasov zhukov filippov komarov davydov belyaev gerasimov
  bogdanov osipov sidorov matveev titov markov mironov krylov kulikov karpov vlasov melnikov denisov tikhonov kazakov
  danilov anatoly viktor igor oleg pavel vasily evgeny yevgeny konstantin maksim artem anton roman denis vitaly valery
  gennady boris stanislav vyacheslav leonid grigory petr pyotr ilya kirill nikita vladislav ruslan galina lyudmila
  nadezhda marina yulia larisa anastasia oksana tamara nina lyubov ksenia daria shevchenko kovalenko bondarenko
  tkachenko kravchenko kovalchuk oliynyk koval shevchuk polishchuk bondar lysenko boyko savchenko melnyk rudenko
  petrenko marchenko volodymyr mykola oleksandr serhiy andriy petro bohdan taras beridze giorgi kapanadze hovhannisyan
  grigoryan sargsyan harutyunyan petrosyan papadopoulos georgiou dimitrios georgios ioannis nikolaos konstantinos
  yilmaz kaya demir sahin celik yildiz yildirim ozturk aydin ozdemir arslan dogan kilic aslan cetin kara koc kurt
  ozkan simsek polat huseyin ismail osman murat ayse emine hatice zeynep elif fatma omer suleyman halil recep aliyev
  mammadov mamedov hasanov huseynov guliyev karimov rakhimov ismoilov yusupov abdullayev umarov akhmedov saidov
  nazarov umar usman uthman hamza bilal tariq tarek khaled karim kareem jamal nasser nasir faisal salim salem samir
  sami walid yasin yasser rashid majid hamid hameed jaafar jafar abdulrahman abdelrahman abdulaziz adel adnan amir
  amin amina anwar ashraf aziz bashir farid fahad ghulam habib haidar hakim imran iqbal javed jamil kamal latif
  mansour masood mohsen mehdi mahdi mubarak murad musa moussa nabil najib nawaz noor nur othman qasim rafiq rahim
  ramadan sadiq saeed saad salah salman sajid shah sharif tahir waheed yahya younis zaid zia ziad zahra khadija layla
  leila amal nadia samira hoda iman malik mirza akbar akram aslam qureshi siddiqui ansari chaudhry butt bhatti mughal
  baig abbas abbasi hashemi hosseini ahmadi karimi rezaei moradi jafari rahimi ghorbani moosavi sadeghi heidari
  gholami haddad najjar khoury masri shami chowdhury sarkar mondal roy ghosh dey dutta sen biswas banerjee mukherjee
  chatterjee saha akter miah hoque haque sultana gupta mishra verma jain agarwal mehta desai joshi pandey tiwari
  chauhan rajput thakur jha sinha reddy rao naidu nair menon pillai iyer krishnan patil kulkarni shinde pawar jadhav
  gaikwad kamble bhosale solanki parmar rathod nayak behera sahu mahato gill sidhu dhillon sandhu amit rahul rajesh
  suresh ramesh sanjay vijay ajay anil sunil ravi arun deepak manoj ashok rakesh vinod mukesh santosh sita gita sunita
  anita rekha lakshmi priya pooja kavita meena asha usha krishna mohan gopal shiva lakshman mahesh dinesh perera
  bandara dissanayake thapa gurung tamang rai shrestha magar deng xie song tang han feng cao zeng peng xiao cai pan
  tian dong yuan ye cheng su jiang ding shen ren lu yao zhong cui liang zheng fang shi wan jin qian dai xia hou
  xiong meng qin bai zou shao lei duan hao kong chang chung cheung leung lau lam ng ho chow yeung lim ong goh teo koh
  chua yeo low ang tay chin hsu tsai lai chou liao qiang yong jong chao jian gang tao xiaoming mei min yun zhen xiang ling
  ting cho jang oh seo shin kwon hwang ahn yoo jeon ko moon bae baek heo nam hoang phan vu vo dang bui ngo duong ly
  minh anh hung tuan dung hoa lan huong thu linh phuong takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato
  yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi shimizu saito hiroshi kenji takashi akira yuko keiko
  aung kyaw htun khin thein tun myint naing hlaing zaw moe soe nyein siti agus budi dewi wati sari putra setiawan
  hidayat wijaya saputra kurniawan santoso nasution siregar somchai somsak aquino bautista ocampo villanueva diallo
  traore keita coulibaly toure sow camara cisse diop ndiaye barry kone sissoko ouattara ouedraogo mensah owusu boateng
  adeyemi okafor okeke eze abubakar sani bello garba aliyu haruna yakubu chukwu ibe mamadou ousmane abdoulaye oumar
  mwangi kamau otieno ochieng njoroge wanjiru kariuki juma hamisi tesfaye bekele abebe kebede tadesse haile girma
  alemayehu hailu warsame farah nkosi dlamini ndlovu mokoena botha naidoo khumalo moyo ncube banda phiri mwale levi
  cohen mizrahi peretz biton dahan avraham yosef moshe yaakov yitzhak shlomo
`);
