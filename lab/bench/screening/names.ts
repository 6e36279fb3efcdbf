// Names of unlisted people, common in many countries, for rows that must not match.

interface NamePool {
  given: readonly string[];
  family: readonly string[];
}

const words = (text: string) => text.split(' ');

export const NAME_POOLS: readonly NamePool[] = [
  {
    given: words(
      'James Mary Robert Patricia Jennifer Linda Michael Elizabeth Barbara Susan Jessica Karen Daniel Nancy Matthew Betty Anthony Sandra Mark Ashley Emma Olivia Liam Noah Charlotte Amelia Lucas Henry Grace Hannah',
    ),
    family: words(
      'Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Moore Jackson White Harris Clark Lewis Robinson Walker Young Allen Hughes Foster Bailey Cooper Ward Bennett Gray Hayes Price Russell Bush Daniels',
    ),
  },
  {
    given: words(
      'Carlos Luis Miguel Alejandra Sofia Valentina Camila Diego Mateo Lucia Fernando Ricardo Gabriela Andrea Javier Rosa Pablo Elena Raul Teresa Hector Patricia Eduardo Monica Jorge Isabel',
    ),
    family: words(
      'Garcia Rodriguez Martinez Hernandez Lopez Gonzalez Perez Sanchez Ramirez Torres Flores Rivera Gomez Diaz Reyes Morales Cruz Ortiz Gutierrez Chavez Ramos Ruiz Alvarez Mendoza Castillo Vargas Romero Herrera Medina Aguilar',
    ),
  },
  {
    given: words(
      'Mohamed Ahmed Fatima Aisha Omar Youssef Khadija Ibrahim Hassan Layla Mariam Khalid Samir Nadia Tariq Rania Karim Salma Bilal Amina Mustafa Zainab Hamza Yasmin Rashid Huda',
    ),
    family: words(
      'Hassan Hussein Saleh Mansour Nasser Haddad Khoury Farouk Bakr Darwish Sharif Abbas Jaber Qasim Rahman Aziz Salim Najjar Hamdan Shaheen Zayed Barakat Othman Fares Kanaan Sabbagh',
    ),
  },
  {
    given: words(
      'Alexander Dmitry Sergey Maxim Artem Stanislav Gleb Anton Timur Valentin Andrey Alexey Mikhail Ivan Nikolay Grigory Vadim Arseny Pavel Roman Denis Ilya Matvey Kirill Leonid Viktor',
    ),
    family: words(
      'Ivanov Petrov Smirnov Kuznetsov Popov Vasiliev Sokolov Mikhailov Novikov Fedorov Morozov Volkov Alekseev Lebedev Semenov Egorov Pavlov Kozlov Stepanov Nikolaev Orlov Andreev Makarov Zakharov Kovalenko Shevchenko',
    ),
  },
  {
    given: words(
      'Wei Fang Min Jing Lei Yan Hui Xiaoming Xiuying Jun Yang Ying Tao Juan Hao Ling Mei Bo Chun Qiang Rong Lan Feng Hong',
    ),
    family: words(
      'Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Gao Luo Zheng Liang Xie Song Tang Deng',
    ),
  },
  {
    given: words(
      'Anna Lukas Sophie Maximilian Julia Felix Laura Tobias Katharina Sebastian Camille Antoine Chloe Mathieu Giulia Marco Francesca Alessandro Ingrid Lars Astrid Bjorn Pieter Annelies Kasia Tomasz',
    ),
    family: words(
      'Mueller Schmidt Fischer Weber Becker Wagner Hoffmann Dubois Lefebvre Moreau Fournier Rossi Bianchi Ferrari Esposito Hansen Johansson Nilsson Larsen Jansen Bakker Visser Kowalski Nowak Wisniewska Novak',
    ),
  },
  {
    given: words(
      'Amit Priya Rahul Anjali Vikram Sunita Rajesh Kavita Sanjay Deepa Arjun Meera Imran Ayesha Bilal Sana Nguyen Minh Linh Thao Budi Siti Dewi Agus Ravi Lakshmi',
    ),
    family: words(
      'Kumar Sharma Singh Patel Gupta Reddy Iyer Nair Mehta Das Khan Malik Chaudhry Butt Ahmed Tran Pham Hoang Vo Dang Santoso Wijaya Hidayat Setiawan Rao Menon',
    ),
  },
  {
    given: words(
      'Chinedu Ngozi Kwame Ama Oluwaseun Folake Thabo Lerato Juma Amani Wanjiru Kamau Tendai Rudo Abebe Tigist Mamadou Aminata Ousmane Fatou Joseph Grace Emmanuel Blessing',
    ),
    family: words(
      'Okafor Adeyemi Mensah Owusu Balogun Nkosi Dlamini Mwangi Otieno Njoroge Moyo Ncube Tesfaye Bekele Diallo Traore Keita Ndiaye Okonkwo Eze Boateng Asante Mbeki Kimani',
    ),
  },
  {
    given: words(
      'Minjun Seoyeon Jihoon Jiwoo Hyun Soojin Haruto Yui Sota Sakura Kenji Yuki Takashi Naoko Hiroshi Emi Elif Mehmet Zeynep Mustafa Ayse Murat Emre Defne Nikos Eleni',
    ),
    family: words(
      'Kim Lee Park Choi Jung Kang Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Yilmaz Kaya Demir Celik Sahin Yildiz Papadopoulos Georgiou Nikolaidis Ozturk Aydin',
    ),
  },
  {
    given: words(
      'Pedro Ana Joao Beatriz Tiago Ines Rafael Mariana Gustavo Leticia Thiago Larissa Bruno Fernanda Felipe Juliana Rodrigo Vanessa Leonardo Bianca',
    ),
    family: words(
      'Silva Santos Oliveira Souza Lima Pereira Ferreira Costa Carvalho Almeida Ribeiro Martins Rocha Barbosa Nunes Teixeira Correia Mendes Cardoso Araujo Pinto Moreira',
    ),
  },
];
