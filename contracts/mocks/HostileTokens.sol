// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// @notice Keeps one percent of every transfer.
contract FeeToken is TestToken {
    constructor() TestToken("Fee", "FEE", 6) {}

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        uint256 fee = amount / 100;
        move(from, address(this), fee);
        move(from, to, amount - fee);
        return true;
    }
}

/// @notice Gives the receiver more than was sent.
contract GenerousToken is TestToken {
    constructor() TestToken("Generous", "GEN", 6) {}

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        move(from, to, amount);
        balanceOf[to] += 1;
        return true;
    }
}

/// @notice Takes tokens away from the receiver during a transfer.
contract ShrinkingToken is TestToken {
    constructor() TestToken("Shrinking", "SHR", 6) {}

    function transferFrom(address, address to, uint256) external override returns (bool) {
        balanceOf[to] = 0;
        return true;
    }
}

/// @notice Returns true and moves nothing.
contract LyingToken is TestToken {
    constructor() TestToken("Lying", "LIE", 6) {}

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return true;
    }
}

/// @notice Returns false instead of reverting, and moves nothing.
contract FalseToken is TestToken {
    constructor() TestToken("False", "FLS", 6) {}

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }

    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// @notice Moves tokens, but returns false.
contract MovingFalseToken is TestToken {
    constructor() TestToken("Moving false", "MVF", 6) {}

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        move(from, to, amount);
        return false;
    }
}

/// @notice Moves tokens and returns nothing, as some of the oldest tokens do.
contract SilentToken is TestToken {
    constructor() TestToken("Silent", "SIL", 6) {}

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        move(from, to, amount);
        assembly {
            return(0, 0)
        }
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        move(msg.sender, to, amount);
        assembly {
            return(0, 0)
        }
    }
}

/// @notice Moves tokens and returns one byte too few, so a careless reader would complete it with old memory.
contract ShortAnswerToken is TestToken {
    constructor() TestToken("Short", "SHT", 6) {}

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        move(from, to, amount);
        assembly {
            mstore(0, 0)
            return(0, 31)
        }
    }
}

/// @notice Moves tokens, or reverts, with a return value of 100 kB that is expensive to copy.
contract BombToken is TestToken {
    bool public failing;

    constructor(bool failing_) TestToken("Bomb", "BMB", 6) {
        failing = failing_;
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        bool fails = failing;
        if (!fails) move(from, to, amount);
        assembly {
            mstore(0, 1)
            if fails { revert(0, 100000) }
            return(0, 100000)
        }
    }
}

/// @notice Reverts without a reason.
contract MuteToken is TestToken {
    constructor() TestToken("Mute", "MUT", 6) {}

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        assembly {
            revert(0, 0)
        }
    }
}

/// @notice Calls back before it moves tokens, as ERC-777 hooks do, and stores the outcome.
contract ReentrantToken is TestToken {
    address public target;
    bytes public payload;
    bool public reentered;
    bytes public answer;

    constructor() TestToken("Reentrant", "REN", 6) {}

    /// @notice Lets `spender` move this contract's own tokens.
    function approveFromHere(address spender) external {
        allowance[address(this)][spender] = type(uint256).max;
    }

    /// @notice Sets the call that it makes in the middle of the next transfer.
    function arm(address target_, bytes calldata payload_) external {
        target = target_;
        payload = payload_;
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        address callee = target;
        if (callee != address(0)) {
            // Once only, because the call may lead here again.
            target = address(0);
            (reentered, answer) = callee.call(payload);
        }
        move(from, to, amount);
        return true;
    }
}

/// @notice Its permit burns all of its gas; transfers are ordinary.
contract GreedyPermitToken {
    mapping(address account => uint256) public balanceOf;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) external pure {
        assembly {
            invalid()
        }
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// @notice Has no permit; the fallback swallows the call, as that of wrapped coins does.
contract FallbackToken {
    uint256 public swallowed;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    fallback() external {
        ++swallowed;
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}
